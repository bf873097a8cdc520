/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The io_uring way of io.h. */
#ifndef WB_IO_RING_H
#define WB_IO_RING_H

#include "daemon/io.h"

struct io_ring;

int io_ring_new(struct ev_loop *loop, struct io_ring **ret);
void io_ring_submit(struct io_ring *r, struct io_op *op);
struct io_ring *io_ring_free(struct io_ring *r);

#endif
