// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare files with a manifest, lines "PATH SIZE SUM": a tool of the guest tests.
 *
 *	verify DIRECTORY <MANIFEST
 *
 * Names every file that is not as it should be, and fails if there is one.
 */
#include <fcntl.h>
#include <unistd.h>

#include "tool.h"

/* What is wrong with a file, NULL if nothing is. */
static const char *check(const char *path, size_t size, unsigned long long want)
{
	static unsigned char data[1 << 16];
	uint64_t h = SUM_START;
	size_t got = 0;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY);
	if (fd < 0)
		return strerror(errno);
	while ((n = read(fd, data, sizeof(data))) > 0) {
		h = sum(h, data, (size_t)n);
		got += (size_t)n;
	}
	close(fd);
	if (n < 0)
		return strerror(errno);
	if (got != size)
		return "has another size";
	return h == want ? NULL : "has other contents";
}

int main(int argc, char **argv)
{
	unsigned long long want;
	int right = 0, wrong = 0;
	char path[256];
	size_t size;

	if (argc != 2)
		return 2;
	if (chdir(argv[1]))
		fail("cannot go to %s", argv[1]);

	while (scanf("%255s %zu %llu", path, &size, &want) == 3) {
		const char *why = check(path, size, want);

		if (why)
			printf("%s: %s\n", path, why);
		why ? wrong++ : right++;
	}
	if (!feof(stdin) || !(right + wrong)) {
		printf("the manifest is empty or not one\n");
		return 1;
	}
	printf("%d files are right, %d are not\n", right, wrong);
	return wrong ? 1 : 0;
}
