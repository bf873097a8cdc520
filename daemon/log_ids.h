/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MESSAGE_ID of each kind of decision: `journalctl MESSAGE_ID=...` finds them.
 * Once released, an id keeps its meaning.  Fields that come with them:
 *
 *   WB_MOUNT   mount point             WB_BDI     backing device
 *   WB_REASON  rule or cause, a clause WB_SOURCE  of dirty inodes: trace, fanotify
 *
 * wbd(8) lists which of them each has.
 */
#ifndef WB_LOG_IDS_H
#define WB_LOG_IDS_H

/* A file system is managed from now on. */
#define LOG_ID_MANAGED        "3a026591f7fb4db6a70bb67d915b3fc6"
/* A file system is no longer managed: unmounted, reconfigured, or out of reach. */
#define LOG_ID_RELEASED       "4c2f47846ba24c44a924bc4be653b3c5"
/* The number of contexts of a backing device was decided or changed. */
#define LOG_ID_CONTEXTS       "92c2c5cab2d34f569531246a8ffd43d6"
/* Dirty notifications were lost: inodes may be dirty that the daemon does not know. */
#define LOG_ID_OVERFLOW       "a173a791c4e14b61b7a5616828ed39e2"
/* The engine failed at something: the reason and what it does instead. */
#define LOG_ID_ENGINE_ERROR   "0b95705e0aae4cdba39281774371b972"
/* A new configuration is in force. */
#define LOG_ID_RELOAD_OK      "a3db7db274c24871b183ba8332b9079a"
/* A new configuration was refused; the old one stays in force. */
#define LOG_ID_RELOAD_REFUSED "85be7326e8754ee6949991b801d7e547"
/* The daemon is ready. */
#define LOG_ID_START          "a11fe1a7ecfc4498bf46bbb977e4922b"
/* The daemon ends: every mark removed, every operation done. */
#define LOG_ID_STOP           "c4ccd25eab854906b09d48eeed6cf421"
/* Dirty memory passed the background threshold, or fell below it again. */
#define LOG_ID_PRESSURE       "49e98f89425c4aa1a989bc38c5e5789c"
/* Two numbers of contexts were compared by the search. */
#define LOG_ID_TRIAL          "2a0c93d3e1c74e64b41c1abaa8ca0708"
/* A kernel setting was written, restored, or found to be somebody else's. */
#define LOG_ID_KNOB           "5d836a7c8b9645ebaabe3f15e5ae11d5"

#endif
