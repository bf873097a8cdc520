// SPDX-License-Identifier: GPL-2.0-or-later
/* wbctl: shows and drives wb.  Options and the table of subcommands. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wbctl/wbctl.h"

#define OUTPUT_BUF (1U << 20)

static const struct command *const commands[] = {
	&cmd_status, /* without arguments */
	&cmd_sync,   &cmd_explain, &cmd_plan,   &cmd_features, &cmd_config,  &cmd_monitor,
	&cmd_hint,   &cmd_hints,   &cmd_verify, &cmd_rollback, &cmd_version,
};

enum { OPT_NOHEADINGS = 256, OPT_SOCKET, OPT_NO_COLOR, OPT_TIMEOUT, OPT_PRINT };

static const struct option options[] = {
	{"json", no_argument, NULL, 'J'},
	{"output", required_argument, NULL, 'o'},
	{"bytes", no_argument, NULL, 'b'},
	{"noheadings", no_argument, NULL, OPT_NOHEADINGS},
	{"socket", required_argument, NULL, OPT_SOCKET},
	{"no-color", no_argument, NULL, OPT_NO_COLOR},
	{"timeout", required_argument, NULL, OPT_TIMEOUT},
	{"print", no_argument, NULL, OPT_PRINT},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{0},
};

static void print_help(const struct command *c)
{
	if (c)
		printf("Usage: wbctl [OPTION...] %s%s%s\n%s.\n", c->name,
		       *c->args ? " " : "", c->args, c->help);
	else
		printf("Usage: wbctl [OPTION...] [COMMAND [ARGUMENT...]]\n"
		       "Shows and drives wb, parallel writeback.\n\nCommands:\n");
	for (size_t i = 0; !c && i < ARRAY_SIZE(commands); i++)
		printf("  %-9s%-20s%s\n", commands[i]->name, commands[i]->args,
		       commands[i]->help);
	printf("\nOptions:\n"
	       "  -J, --json          JSON with a schema version\n"
	       "  -o, --output LIST   columns; +LIST adds to the usual ones\n"
	       "  -b, --bytes         sizes in bytes\n"
	       "      --noheadings    no line of headings\n"
	       "      --socket PATH   the daemon's socket (" WBCTL_SOCKET ")\n"
	       "      --no-color      no colour; so does NO_COLOR in the environment\n");
	if (!c || c->takes_timeout)
		printf("      --timeout T     sync: give up after 10, 500ms, 2min ...\n");
	if (!c || c->takes_print)
		printf("      --print         rollback: only show what would be "
		       "written\n");
	printf("  -h, --help          this, or the columns of a command\n"
	       "  -V, --version       the version\n");
	if (c && c->n_cols)
		printf("\nColumns (* without -o):\n");
	for (unsigned i = 0; c && i < c->n_cols; i++)
		printf("%s %-14s%s\n", c->cols[i].shown ? " *" : "  ", c->cols[i].name,
		       c->cols[i].help);
	if (!c)
		printf("\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 the daemon does "
		       "not run,\n4 done in part, 5 out of time.  See wbctl(8).\n");
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static int refuse_option(int c, const char *word)
{
	if (c == ':')
		complain("%s needs a value: see --help.", word);
	else if (optopt >= OPT_NOHEADINGS || (optopt && strchr("JobhV", optopt)))
		complain("%s: this option takes no value.", word);
	else if (optopt)
		complain("There is no option -%c: --help lists them.", optopt);
	else
		complain("There is no option %s: --help lists them.", word);
	return WBCTL_USAGE;
}

/* WBCTL_OK to go on, -1 for the help, else the exit code. */
static int parse_options(int argc, char **argv, struct opts *o, bool *ret_version)
{
	int c, ret = WBCTL_OK;

	while ((c = getopt_long(argc, argv, ":Jo:bhV", options, NULL)) != -1) {
		switch (c) {
		case 'J':
			o->json = true;
			break;
		case 'o':
			o->columns = optarg;
			break;
		case 'b':
			o->bytes = true;
			break;
		case OPT_NOHEADINGS:
			o->noheadings = true;
			break;
		case OPT_SOCKET:
			o->socket = optarg;
			if (*optarg)
				break;
			complain("--socket needs the path of the daemon's socket.");
			return WBCTL_USAGE;
		case OPT_NO_COLOR:
			o->color = false;
			break;
		case OPT_PRINT:
			o->print = true;
			break;
		case OPT_TIMEOUT:
			if (parse_time(optarg, &o->timeout_ms) == 0)
				break;
			complain(
				"--timeout %s is not a time: give 10, 500ms, 2min or 1h.",
				optarg);
			return WBCTL_USAGE;
		case 'h':
			ret = -1;
			break;
		case 'V':
			*ret_version = true;
			break;
		default:
			return refuse_option(c, argv[optind - 1]);
		}
	}
	return ret;
}

static int check_usage(const struct command *c, const struct opts *o, int n, char **argv)
{
	if (c->args_max >= 0 && n > c->args_max) {
		complain("unexpected argument '%s': usage: wbctl %s%s%s",
			 argv[c->args_max], c->name, *c->args ? " " : "", c->args);
		return WBCTL_USAGE;
	}
	if (n < c->args_min) {
		complain("Usage: wbctl %s %s", c->name, c->args);
		return WBCTL_USAGE;
	}
	if (o->timeout_ms >= 0 && !c->takes_timeout) {
		complain("--timeout is for sync, not for %s.", c->name);
		return WBCTL_USAGE;
	}
	if (o->print && !c->takes_print) {
		complain("--print is for rollback, not for %s.", c->name);
		return WBCTL_USAGE;
	}
	if (o->columns && !c->n_cols) {
		complain("%s has no columns for -o to choose from.", c->name);
		return WBCTL_USAGE;
	}
	return o->columns ? table_check_columns(o->columns, c->cols, c->n_cols)
			  : WBCTL_OK;
}

/* Else a socket would become the standard output.  Writing there must fail. */
static void fill_stdio(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
			return;
}

/* What was printed may not have been written: the one place that looks. */
static int close_output(int r)
{
	struct pollfd p = {.fd = STDOUT_FILENO};
	bool bad = ferror(stdout), unread = poll(&p, 1, 0) > 0 && p.revents & POLLERR;
	int error = fflush(stdout) ? errno : 0;

	if (fclose(stdout) && !error)
		error = errno;
	if ((!bad && !error) || error == EPIPE || unread) /* whoever read it has gone */
		return r;
	complain("cannot write the output%s%s", error ? ": " : "",
		 error ? strerror(error) : "");
	return r == WBCTL_OK ? WBCTL_FAILED : r;
}

static int run(int argc, char **argv)
{
	const char *no_color = getenv("NO_COLOR");
	struct opts o = {
		.socket = WBCTL_SOCKET,
		.color = isatty(STDOUT_FILENO) && !(no_color && *no_color),
		.timeout_ms = -1,
	};
	const struct command *c = commands[0];
	bool version = false, named;
	int r;

	r = parse_options(argc, argv, &o, &version);
	if (r > 0)
		return r;
	named = optind < argc;
	if (version)
		c = &cmd_version;
	else if (named)
		c = find_command(argv[optind++]);
	if (!c) {
		complain("There is no command \"%.64s\": --help lists them.",
			 argv[optind - 1]);
		return WBCTL_USAGE;
	}
	if (r < 0) {
		print_help(named ? c : NULL);
		return WBCTL_OK;
	}
	r = check_usage(c, &o, argc - optind, argv + optind);
	return r ? r : c->run(&o, argc - optind, argv + optind);
}

int main(int argc, char **argv)
{
	char *buf = malloc(OUTPUT_BUF);
	int r;

	fill_stdio();
	/* Where all is written at once, at the end, the reason of a failure is known. */
	if (buf && !isatty(STDOUT_FILENO))
		(void)setvbuf(stdout, buf, _IOFBF, OUTPUT_BUF);
	setlocale(LC_ALL, "");
	signal(SIGPIPE, SIG_IGN);
	r = close_output(run(argc, argv));
	free(buf);
	return r;
}
