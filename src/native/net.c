/* net.c - the network namespace: by far the dearest of all to make, so with privilege a thread makes it while
 * everything else is seen to.  The thread is in it, the launcher never is; init and the program join by its
 * descriptor. */
#include <fcntl.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "native/box.h"

/* Ports below 1024 are nobody's in here: a server may have its 80.  No wall: without it the kernel says EACCES. */
static void all_ports(void)
{
	bawn_auto_fd fd = bawn_open_kernel_file("/proc/sys/net/ipv4/ip_unprivileged_port_start", O_WRONLY, NULL);
	if (fd >= 0)
		(void)!write(fd, "0", 1);
}

/* A socket of the namespace we are in, with loopback up. */
static int loopback(struct bawn_err *err)
{
	bawn_auto_fd fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &ifr) < 0)
		return bawn_fail(err, -errno, "bring loopback up");
	all_ports();
	return bawn_take_fd(&fd);
}

int bawn_net_loopback(struct bawn_err *err)
{
	bawn_auto_fd fd = loopback(err);
	return fd < 0 ? fd : 0;
}

/* Allocates nothing: the other thread may fork at any time. */
static void *make(void *arg)
{
	struct bawn_net *n = arg;
	if (unshare(CLONE_NEWNET) < 0) {
		(void)bawn_fail(&n->err, -errno, "make a network namespace");
		return NULL;
	}
	bawn_auto_fd socket = loopback(&n->err);
	if (socket < 0)
		return NULL;
	n->fd = ioctl(socket, SIOCGSKNS);  /* asks the kernel, not whatever is mounted at /proc */
	if (n->fd < 0)
		(void)bawn_fail(&n->err, -errno, "open the network namespace");
	return NULL;
}

void bawn_net_ahead(struct bawn_net *n)
{
	n->ahead = geteuid() == 0 && pthread_create(&n->thread, NULL, make, n) == 0;  /* else init makes it */
}

int bawn_net_wait(struct bawn_net *n, struct bawn_err *err)
{
	if (n->ahead && !n->joined) {
		(void)pthread_join(n->thread, NULL);
		n->joined = true;
	}
	if (n->err.code < 0 && err != NULL)
		*err = n->err;
	return n->err.code;
}

void bawn_net_done(struct bawn_net *n)
{
	(void)!bawn_net_wait(n, NULL);
	bawn_close_fdp(&n->fd);
}
