/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at memory while somebody asks for large folios: see order.h. */
#ifndef WB_ORDER_WATCH_H
#define WB_ORDER_WATCH_H

#include <stdint.h>
#include <sys/types.h>

struct ev_loop;
struct orders;

/* @changed is called from the loop when some order is another one. */
int orders_new(struct ev_loop *loop, const char *root, void (*changed)(void *arg),
	       void *arg, struct orders **ret);
struct orders *orders_free(struct orders *o);

/* The order for the superblock @id (kern_fs.id) on @dev.  NULL @o: ORDER_START. */
unsigned orders_of(struct orders *o, dev_t dev, uint64_t id);
/* Somebody writes to @dev in pieces of @bytes.  NULL @o: nothing. */
void orders_ask(struct orders *o, dev_t dev, uint64_t bytes);

#endif
