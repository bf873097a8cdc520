#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The report in a browser, 1200 and 400 pixels wide: nothing overlaps or sticks out, every plot has axes with
# titles and units.
set -eu
. "$(dirname "$0")/../lib.sh"

browser=$(command -v chromium-headless-shell || command -v chromium) ||
	wb_skip "there is no chromium-headless-shell: make check-report installs it (60 MB) and runs this"
"$WB_TOP/bench/report/page.sh" "$WB_TMP/page" "$WB_TOP"/bench/results/*.json "$WB_TOP/tests/report/schema-1.json"

# The page with a script behind it that measures, and leaves what is wrong as JSON in an element.
probe()
{
	sed '/<\/body>/d; /^<\/html>/d' "$1"
	cat <<-'END'
	<pre id="probe"></pre><script>//<![CDATA[
	const wrong = [];
	const texts = [...document.querySelectorAll('svg')].map((svg, n) => {
		const frame = svg.getBoundingClientRect();
		if (frame.width < 300 || frame.height < 150) wrong.push(`plot ${n} is ${frame.width} by ${frame.height}`);
		const all = [...svg.querySelectorAll('text')].map(t => [t.textContent.trim(), t.getBoundingClientRect()])
			.filter(([s]) => s !== '');
		all.forEach(([s, r], i) => {
			if (r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 1 || r.bottom > frame.bottom + 1)
				wrong.push(`plot ${n}: "${s}" sticks out`);
			if (r.height < 7 && r.width < 7) wrong.push(`plot ${n}: "${s}" is too small to read`);
			for (const [o, q] of all.slice(i + 1))
				if (Math.min(r.right, q.right) - Math.max(r.left, q.left) > 1 &&
				    Math.min(r.bottom, q.bottom) - Math.max(r.top, q.top) > 3)
					wrong.push(`plot ${n}: "${s}" and "${o}" overlap`);
		});
		const titles = all.map(([s]) => s).filter(s => /\(.+\)$/.test(s));
		const upright = all.filter(([s, r]) => /\(.+\)$/.test(s) && r.height > r.width);
		if (titles.length < 2 || upright.length !== 1) wrong.push(`plot ${n}: its axes say ${JSON.stringify(titles)}`);
		return all.length;
	});
	// What may be scrolled by itself may be wide.
	const scrolls = e => e.closest('.wide');
	for (const e of document.querySelectorAll('body *')) {
		const r = e.getBoundingClientRect();
		if (r.width > 0 && !scrolls(e) && !e.closest('svg') && r.right > innerWidth + 1)
			wrong.push(`<${e.localName}> "${e.textContent.slice(0, 40)}" is too wide`);
	}
	if (document.documentElement.scrollWidth > innerWidth) wrong.push('the page scrolls sideways');
	const blocks = [...document.querySelectorAll('h1, h2, h3, p, pre, .wide, figure')].map(e => [e, e.getBoundingClientRect()])
		.filter(([, r]) => r.height > 0);
	for (let i = 1; i < blocks.length; i++)
		if (blocks[i][1].top < blocks[i - 1][1].bottom - 1)
			wrong.push(`"${blocks[i][0].textContent.slice(0, 40)}" begins above the end of what is before it`);
	document.getElementById('probe').textContent = JSON.stringify(
		{width: innerWidth, plots: texts.length, texts: texts.reduce((a, b) => a + b, 0), blocks: blocks.length, wrong});
	//]]></script></body></html>
	END
}

# measure WIDTH PAGE: prints the JSON
measure()
{
	probe "$2" >"$WB_TMP/probe.xhtml" # taken as XML: a page that is not well-formed shows an error instead
	# No sandbox: root has none, and the page is our own.
	"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$WB_TMP/profile" \
		--disable-background-networking --window-size="$1,2000" --virtual-time-budget=5000 \
		--dump-dom "file://$WB_TMP/probe.xhtml" 2>"$WB_TMP/browser" |
		tr '\n' ' ' | sed -n 's/.*<pre id="probe">\(.*\)<\/pre>.*/\1/p' | sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
}

plots=$(grep -c '<svg' "$WB_TMP/page/index.html")
[ "$plots" -ge 20 ] || wb_fail "there are but $plots plots to look at"
for width in 1200 400; do
	measure $width "$WB_TMP/page/index.html" >"$WB_TMP/measured"
	[ -s "$WB_TMP/measured" ] || {
		tail -n 5 "$WB_TMP/browser"
		wb_fail "$width px: the browser rendered nothing"
	}
	jq -c '{width, plots, texts, blocks}' "$WB_TMP/measured"
	wb_json ".width == $width and .plots == $plots and .texts > 8 * .plots" <"$WB_TMP/measured"
	jq -r '.wrong[]' "$WB_TMP/measured" | head -n 20
	wb_json '.wrong == []' <"$WB_TMP/measured"
done

wb_note "the measuring sees what is wrong"
sed 's/figure svg { width: 100%/figure svg { width: 1500px/; s/>run (number)</>run</' "$WB_TMP/page/index.html" >"$WB_TMP/broken"
measure 400 "$WB_TMP/broken" >"$WB_TMP/measured"
wb_json '.wrong | any(.[]; test("too wide|sideways")) and any(.[]; test("its axes say"))' <"$WB_TMP/measured"
sed 's/<text>/<text x="3" y="3">/g; s/transform="translate([0-9.]*,[0-9.]*)"/transform="translate(50,50)"/' "$WB_TMP/page/index.html" >"$WB_TMP/broken"
measure 1200 "$WB_TMP/broken" >"$WB_TMP/measured"
wb_json '.wrong | any(.[]; test("overlap"))' <"$WB_TMP/measured"
