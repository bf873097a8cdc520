// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups from geometries that real mkfs runs made, limits, and hostile numbers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <ext2fs/ext2_fs.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "daemon/geom_raw.h"

/* mkfs.xfs 6.1 -d agcount=4 (4 GiB), =8 (4 GiB), =1000 (125 GiB); the logs are those
 * of its superblock (agblklog, inopblog), so that ours are checked against them. */
static const struct {
	struct geom_xfs_raw raw;
	unsigned agblklog, inopblog;
} xfs[] = {
	{{4096, 512, 262144, 4, false}, 18, 3},
	{{4096, 512, 131072, 8, false}, 17, 3},
	{{4096, 512, 32768, 1000, false}, 15, 3},
	/* agsize=20000b: not a power of two, so the logarithm is rounded up. */
	{{4096, 512, 20000, 53, false}, 15, 3},
	/* -b size=1024 -i size=512, agcount=5 */
	{{1024, 512, 838861, 5, false}, 20, 1},
};

static void test_xfs_recorded(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(xfs); i++) {
		struct geom g;

		assert_int_equal(geom_set_xfs(&xfs[i].raw, &g), 0);
		assert_int_equal(g.kind, GEOM_XFS);
		assert_int_equal(g.groups, xfs[i].raw.agcount);
		assert_int_equal(g.ino_shift, xfs[i].agblklog + xfs[i].inopblog);
		assert_false(g.inode_unplaced);
	}
}

static void test_xfs_limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(xfs); i++) {
		uint64_t bytes = xfs[i].raw.agblocks * xfs[i].raw.blocksize;
		struct geom g;

		assert_int_equal(geom_set_xfs(&xfs[i].raw, &g), 0);
		for (uint64_t ag = 0; ag < g.groups; ag++) {
			uint64_t first = ag << g.ino_shift;

			assert_int_equal(geom_group_of_ino(&g, first), ag);
			assert_int_equal(
				geom_group_of_ino(&g, first + (1ULL << g.ino_shift) - 1),
				ag);
			assert_int_equal(geom_group_of_phys(&g, ag * bytes), ag);
			assert_int_equal(geom_group_of_phys(&g, (ag + 1) * bytes - 1),
					 ag);
		}
	}
}

/* inode32 places inodes apart from their data only if there are longer numbers. */
static void test_xfs_inode32(void **state)
{
	struct geom_xfs_raw small = xfs[1].raw;
	struct geom_xfs_raw large = {4096, 512, 268435455, 4, true};
	/* Highest inode number: (agcount << 21) - 1, so 2048 AGs of 2^18 blocks with 8
	 * inodes each reach just below 2^32. */
	struct geom_xfs_raw edge = {4096, 512, 262144, 2048, true};
	struct geom g;

	(void)state;
	small.inode32 = true;
	assert_int_equal(geom_set_xfs(&small, &g), 0);
	assert_false(g.inode_unplaced);
	assert_int_equal(geom_set_xfs(&large, &g), 0);
	assert_true(g.inode_unplaced);
	assert_int_equal(geom_set_xfs(&edge, &g), 0);
	assert_false(g.inode_unplaced);
	edge.agcount++;
	assert_int_equal(geom_set_xfs(&edge, &g), 0);
	assert_true(g.inode_unplaced);
	/* Then the number is hashed, but a place on the device still counts. */
	assert_int_equal(geom_group_of_ino(&g, 12345), geom_bucket(&g, 12345));
	assert_int_equal(geom_group_of_phys(&g, 262144ULL * 4096 * 7), 7);
}

static void test_xfs_hostile(void **state)
{
	static const struct geom_xfs_raw bad[] = {
		{0, 512, 1024, 4, false},
		{4095, 512, 1024, 4, false},
		{131072, 512, 1024, 4, false},
		{4096, 0, 1024, 4, false},
		{4096, 384, 1024, 4, false},
		{4096, 8192, 1024, 4, false},
		{4096, 512, 0, 4, false},
		{4096, 512, UINT32_MAX, 4, false},
		{4096, 512, 1024, 0, false},
		{4096, 512, 1024, UINT64_MAX, false},
		{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, true},
	};
	struct geom g;

	(void)state;
	memset(&g, 0x5a, sizeof(g));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(geom_set_xfs(&bad[i], &g), -EUCLEAN);
	assert_int_equal(g.groups, 0x5a5a5a5a);
}

/* mkfs.ext4 1.47 of 4 GiB: default, ^flex_bg, -b 1024, -b 1024 -O ^flex_bg, -G 64,
 * -O bigalloc -C 65536. */
static const struct {
	struct geom_ext4_raw raw;
	uint32_t groups;
} ext4[] = {
	{{4096, 1048576, 32768, 8192, 0, 4}, 2},
	{{4096, 1048576, 32768, 8192, 0, 0}, 32},
	{{1024, 4194304, 8192, 512, 1, 4}, 32},
	{{1024, 4194304, 8192, 512, 1, 0}, 512},
	{{4096, 1048576, 32768, 8192, 0, 6}, 1},
	{{4096, 1048576, 524288, 32768, 0, 4}, 1},
	/* A last group that is not full. */
	{{4096, 1048577, 32768, 8192, 0, 4}, 3},
};

static void test_ext4_recorded(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ext4); i++) {
		const struct geom_ext4_raw *r = &ext4[i].raw;
		uint64_t blocks = r->blocks_per_group << r->log_groups_per_flex;
		uint64_t inodes = r->inodes_per_group << r->log_groups_per_flex;
		struct geom g;

		assert_int_equal(geom_set_ext4(r, &g), 0);
		assert_int_equal(g.groups, ext4[i].groups);
		for (uint64_t k = 0; k < g.groups; k++) {
			uint64_t first =
				(r->first_data_block + k * blocks) * r->blocksize;

			assert_int_equal(geom_group_of_ino(&g, k * inodes + 1), k);
			assert_int_equal(geom_group_of_ino(&g, (k + 1) * inodes), k);
			assert_int_equal(geom_group_of_phys(&g, first), k);
			assert_int_equal(
				geom_group_of_phys(&g, first + blocks * r->blocksize - 1),
				k);
		}
		/* The boot sector, before the first group. */
		assert_int_equal(geom_group_of_phys(&g, 0), 0);
		assert_int_equal(geom_group_of_ino(&g, 0), 0);
	}
}

static void test_ext4_hostile(void **state)
{
	static const struct geom_ext4_raw bad[] = {
		{0, 1048576, 32768, 8192, 0, 4},
		{4097, 1048576, 32768, 8192, 0, 4},
		{131072, 1048576, 32768, 8192, 0, 4},
		{4096, 0, 32768, 8192, 0, 4},
		{4096, 1, 32768, 8192, 1, 4},
		{4096, UINT64_MAX, 32768, 8192, 0, 4},
		{4096, 1ULL << 48, 1, 8192, 0, 0},
		{4096, 1048576, 0, 8192, 0, 4},
		{4096, 1048576, UINT64_MAX, 8192, 0, 4},
		{4096, 1048576, 32768, 0, 0, 4},
		{4096, 1048576, 32768, UINT32_MAX, 0, 4},
		{4096, 1048576, 32768, 8192, 2, 4},
		{4096, 1048576, 32768, 8192, UINT32_MAX, 4},
	};
	struct geom_ext4_raw wild = ext4[0].raw;
	struct geom g;

	(void)state;
	memset(&g, 0x5a, sizeof(g));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(geom_set_ext4(&bad[i], &g), -EUCLEAN);
	assert_int_equal(g.groups, 0x5a5a5a5a);

	/* A flex size beyond what the kernel takes is none, as there. */
	wild.log_groups_per_flex = 255;
	assert_int_equal(geom_set_ext4(&wild, &g), 0);
	assert_int_equal(g.groups, 32);
	wild.log_groups_per_flex = 31;
	assert_int_equal(geom_set_ext4(&wild, &g), 0);
	assert_int_equal(g.groups, 1);
}

/* Whatever is asked, the answer is a group. */
static void check_bounds(const struct geom *g)
{
	uint64_t x = 88172645463325252ULL;

	for (int i = 0; i < 100000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		assert_true(geom_group_of_ino(g, x >> (i % 64)) < g->groups);
		assert_true(geom_group_of_phys(g, x >> (i % 64)) < g->groups);
		assert_true(geom_bucket(g, x >> (i % 64)) < g->groups);
	}
	assert_true(geom_group_of_ino(g, UINT64_MAX) < g->groups);
	assert_true(geom_group_of_phys(g, UINT64_MAX) < g->groups);
}

static void test_always_a_group(void **state)
{
	struct geom g;

	(void)state;
	geom_hash(&g);
	assert_int_equal(g.groups, GEOM_BUCKETS);
	check_bounds(&g);
	for (size_t i = 0; i < ARRAY_SIZE(xfs); i++) {
		assert_int_equal(geom_set_xfs(&xfs[i].raw, &g), 0);
		check_bounds(&g);
	}
	for (size_t i = 0; i < ARRAY_SIZE(ext4); i++) {
		assert_int_equal(geom_set_ext4(&ext4[i].raw, &g), 0);
		check_bounds(&g);
	}
}

/* Buckets: each inode keeps its own, and runs of numbers spread evenly, whatever
 * their stride (inode numbers come in steps of powers of two). */
static void test_buckets_spread(void **state)
{
	struct geom g;

	(void)state;
	geom_hash(&g);
	for (unsigned shift = 0; shift < 20; shift++) {
		unsigned count[GEOM_BUCKETS] = {0};

		for (uint64_t i = 0; i < 64000; i++)
			count[geom_bucket(&g, 256 + (i << shift))]++;
		for (unsigned b = 0; b < GEOM_BUCKETS; b++)
			assert_in_range(count[b], 800, 1200);
	}
	assert_int_equal(geom_bucket(&g, 4711), geom_bucket(&g, 4711));
}

/* ---- the superblock itself ---------------------------------------------------- */

struct image {
	int fd;
	char path[32];
};

/* mkfs would be slow; an ext4 superblock is all that is read. */
static void write_super(struct image *im, const struct ext2_super_block *sb)
{
	assert_int_equal(pwrite(im->fd, sb, sizeof(*sb), 1024), sizeof(*sb));
}

static void good_super(struct ext2_super_block *sb)
{
	memset(sb, 0, sizeof(*sb));
	sb->s_magic = EXT2_SUPER_MAGIC;
	sb->s_rev_level = EXT2_DYNAMIC_REV;
	sb->s_first_ino = 11;
	sb->s_inode_size = 256;
	sb->s_log_block_size = 2;
	sb->s_log_cluster_size = 2;
	sb->s_blocks_count = 1048576;
	sb->s_free_blocks_count = 1000000;
	sb->s_blocks_per_group = sb->s_clusters_per_group = 32768;
	sb->s_inodes_per_group = 8192;
	sb->s_inodes_count = 8192 * 32;
	sb->s_feature_incompat = EXT4_FEATURE_INCOMPAT_FLEX_BG |
				 EXT3_FEATURE_INCOMPAT_EXTENTS |
				 EXT2_FEATURE_INCOMPAT_FILETYPE;
	sb->s_log_groups_per_flex = 4;
}

static int setup_image(void **state)
{
	static struct image im;

	im.fd = memfd_create("ext4", MFD_CLOEXEC);
	if (im.fd < 0 || ftruncate(im.fd, 4LL << 30) < 0)
		return -1;
	snprintf(im.path, sizeof(im.path), "/proc/self/fd/%d", im.fd);
	*state = &im;
	return 0;
}

static int teardown_image(void **state)
{
	return close(((struct image *)*state)->fd);
}

static void test_read_ext4(void **state)
{
	struct image *im = *state;
	struct ext2_super_block sb;
	struct geom g;

	good_super(&sb);
	write_super(im, &sb);
	assert_int_equal(geom_read_ext4(im->path, &g), 0);
	assert_int_equal(g.kind, GEOM_EXT4);
	assert_int_equal(g.groups, 2);
	assert_int_equal(g.group_inodes, 8192 * 16);

	sb.s_feature_incompat &= ~(unsigned)EXT4_FEATURE_INCOMPAT_FLEX_BG;
	write_super(im, &sb);
	assert_int_equal(geom_read_ext4(im->path, &g), 0);
	assert_int_equal(g.groups, 32);
}

/* Every field of the superblock, one after the other, with values from hell: an
 * error or a geometry that answers, never a crash. */
static void test_hostile_super(void **state)
{
	static const uint32_t hell[] = {0, 1, 2, 255, 0x7fffffff, 0x80000000, ~0U};
	struct image *im = *state;
	unsigned refused = 0;

	for (size_t at = 0; at < 0x180; at += 4) {
		for (size_t v = 0; v < ARRAY_SIZE(hell); v++) {
			struct ext2_super_block sb;
			struct geom g;

			good_super(&sb);
			memcpy((char *)&sb + at, &hell[v], sizeof(hell[v]));
			write_super(im, &sb);
			if (geom_read_ext4(im->path, &g) < 0)
				refused++;
			else
				check_bounds(&g);
		}
	}
	assert_true(refused > 20);
}

static void test_no_super(void **state)
{
	struct image *im = *state;
	struct geom g;
	char *mem = calloc(1, 4096);

	assert_non_null(mem);
	assert_int_equal(pwrite(im->fd, mem, 4096, 0), 4096);
	free(mem);
	assert_int_equal(geom_read_ext4(im->path, &g), -EUCLEAN);
	assert_int_equal(geom_read_ext4("/nonexistent", &g), -ENOENT);
}

/* ---- recorded geometries -------------------------------------------------------- */

static int read_text(const char *s, struct geom *g)
{
	int fd CLEANUP(cleanup_closep) = memfd_create("geometry", MFD_CLOEXEC);
	char path[32];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, s, strlen(s)), strlen(s));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return geom_read_recorded(path, false, g);
}

static void test_recorded(void **state)
{
	struct geom g;

	(void)state;
	assert_int_equal(read_text("# eight\ntype=xfs\nblocksize=4096\ninodesize=512\n"
				   "agblocks=131072\nagcount=8\n",
				   &g),
			 0);
	assert_int_equal(g.groups, 8);
	assert_int_equal(read_text("type=ext4\nblocksize=1024\nblocks=4194304\n"
				   "blocks_per_group=8192\ninodes_per_group=512\n"
				   "first_data_block=1\nlog_groups_per_flex=4\n",
				   &g),
			 0);
	assert_int_equal(g.groups, 32);
	assert_int_equal(g.block_size, 1024);
	assert_int_equal(read_text("", &g), -EINVAL);
	assert_int_equal(read_text("type=ntfs\n", &g), -EINVAL);
	assert_int_equal(read_text("type=xfs\n", &g), -EUCLEAN);
	assert_int_equal(read_text("type=xfs\ncolour=3\n", &g), -EINVAL);
	assert_int_equal(read_text("type=xfs\nagcount=-1\n", &g), -EINVAL);
	assert_int_equal(read_text("type=xfs\nagcount=8 \n", &g), -EINVAL);
	assert_int_equal(read_text("type=xfs\nagcount\n", &g), -EINVAL);
	assert_int_equal(read_text("type=xfs", &g), -EINVAL);
	assert_int_equal(read_text("type=xfsxfsxfsxfs\n", &g), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xfs_recorded),
		cmocka_unit_test(test_xfs_limits),
		cmocka_unit_test(test_xfs_inode32),
		cmocka_unit_test(test_xfs_hostile),
		cmocka_unit_test(test_ext4_recorded),
		cmocka_unit_test(test_ext4_hostile),
		cmocka_unit_test(test_always_a_group),
		cmocka_unit_test(test_buckets_spread),
		cmocka_unit_test_setup_teardown(test_read_ext4, setup_image,
						teardown_image),
		cmocka_unit_test_setup_teardown(test_hostile_super, setup_image,
						teardown_image),
		cmocka_unit_test_setup_teardown(test_no_super, setup_image,
						teardown_image),
		cmocka_unit_test(test_recorded),
	};

	return cmocka_run_group_tests_name("geom", tests, NULL, NULL);
}
