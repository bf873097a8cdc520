// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of the search for the knee: names for machines, clauses for people. */
#include "daemon/knee_int.h"

struct word {
	const char *name, *text;
};

static const struct word states[] = {
	[KNEE_OFF] = {"off", NULL},
	[KNEE_WAIT] = {"waiting", NULL},
	[KNEE_TRIAL] = {"trial", NULL},
	[KNEE_HOLD] = {"found", NULL},
};

static const struct word whys[] = {
	[KNEE_W_ROTATIONAL] = {"rotational",
			       "the disk rotates, and several flushers make one head "
			       "seek"},
	[KNEE_W_ROTATION_UNKNOWN] = {"rotation-unknown",
				     "the device does not tell whether it rotates"},
	[KNEE_W_CAP] = {"one-group", "there is one group only"},
	[KNEE_W_REFUSED] = {"refused", "more contexts could not be set"},
	[KNEE_W_NO_LOAD] = {"no-load", "no dirty data has piled up so far"},
	[KNEE_W_LIMIT] = {"device-limit",
			  "dirty data piles up, but the device is at its limit"},
	[KNEE_W_COLLECT] = {"collecting",
			    "dirty data piles up: measuring what this number does"},
	[KNEE_W_MEASURE] = {"measuring", "two numbers are compared"},
	[KNEE_W_FOUND] = {"found", "more do not gain 5 %, and fewer lose it"},
	[KNEE_W_FOUND_CAP] = {"found-most",
			      "each step gained 5 %, and there cannot be more"},
	[KNEE_W_FOUND_ONE] = {"found-one", "more than one do not gain 5 %"},
	[KNEE_W_HOLD_OFF] = {"hold-off",
			     "the load has changed, but the last search was not long "
			     "ago"},
};

static const struct word causes[] = {
	[KNEE_C_START] = {"start", "first load"},
	[KNEE_C_FASTER] = {"faster", "throughput had risen"},
	[KNEE_C_SLOWER] = {"slower", "throughput had fallen"},
	[KNEE_C_SIZE] = {"size", "requests had another size"},
	[KNEE_C_PAUSE] = {"pause", "the worst throttle pause had grown"},
	[KNEE_C_LIMIT] = {"device-limit", "the device had come to its limit"},
	[KNEE_C_CAP] = {"groups", "the number of groups, or the bound, had changed"},
};

static const struct word verdicts[] = {
	[KNEE_V_RUNNING] = {"running", "under way"},
	[KNEE_V_GAIN] = {"gain", "a gain of 5 % or more"},
	[KNEE_V_NO_GAIN] = {"no-gain", "not a gain of 5 %"},
	[KNEE_V_PAUSE] = {"pause", "writers were throttled for longer at a time"},
	[KNEE_V_LIMIT] = {"device-limit", "the device was at its limit with both"},
	[KNEE_V_UNDECIDED] = {"undecided", "too much noise or too little load to tell"},
	[KNEE_V_REFUSED] = {"refused", "could not be set"},
	[KNEE_V_CUT] = {"cut", "the groups or the bound changed meanwhile"},
};

const char *knee_state_name(enum knee_state s)
{
	return states[s].name;
}

const char *knee_why_name(enum knee_why w)
{
	return whys[w].name;
}

const char *knee_why_text(enum knee_why w)
{
	return whys[w].text;
}

const char *knee_cause_name(enum knee_cause c)
{
	return causes[c].name;
}

const char *knee_cause_text(enum knee_cause c)
{
	return causes[c].text;
}

const char *knee_verdict_name(enum knee_verdict v)
{
	return verdicts[v].name;
}

const char *knee_verdict_text(enum knee_verdict v)
{
	return verdicts[v].text;
}
