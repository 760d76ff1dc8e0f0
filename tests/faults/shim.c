/* The n-th call of one kind fails, in the process that loads this library and in none that it starts.
 *
 * WEIGH_FAULT is "KIND:N:ERRNO:LAST:FILE": of the calls of that kind (write, sync, rename, open, allocate) those from
 * the N-th to the LAST-th fail with that number. FILE gets how many calls of each kind there were, at the end.
 *
 * With the KIND clock nothing fails: who looks at the wall clock the N-th to the LAST-th time finds it so many seconds
 * ahead as ERRNO says, and later as many behind.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define LARGE 4096 /* bytes of an allocation that counts */

static char kind[16], file[512];
static const char *const KINDS[] = {"write", "sync", "rename", "open", "allocate"};
enum { ALL = sizeof KINDS / sizeof *KINDS };
static long from, until, calls[ALL];
static int number, ready;
static pid_t own;

static int fails(const char *called) {
    if (!ready || getpid() != own) return 0;
    int which = 0;
    while (strcmp(called, KINDS[which])) which++;
    long now = __sync_add_and_fetch(&calls[which], 1);
    if (now < from || now > until || strcmp(called, kind)) return 0;
    errno = number;
    return 1;
}

__attribute__((constructor)) static void begin(void) {
    const char *asked = getenv("WEIGH_FAULT");
    own = getpid();
    if (asked && sscanf(asked, "%15[a-z]:%ld:%d:%ld:%511[^\n]", kind, &from, &number, &until, file) == 5) ready = 1;
    unsetenv("LD_PRELOAD");
    unsetenv("WEIGH_FAULT");
}

__attribute__((destructor)) static void end(void) {
    if (!ready || getpid() != own) return;
    char text[256];
    int length = 0;
    for (int which = 0; which < ALL; which++)
        length += snprintf(text + length, sizeof text - length, "%s %ld\n", KINDS[which], calls[which]);
    int to = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    syscall(SYS_write, to, text, length);
    syscall(SYS_close, to);
}

static int regular(int to) {
    int before = errno;
    struct stat found;
    int is = !fstat(to, &found) && S_ISREG(found.st_mode);
    errno = before;
    return is;
}

#define NEXT(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

ssize_t write(int to, const void *bytes, size_t length) {
    if (ready && regular(to) && fails("write")) return -1;
    return syscall(SYS_write, to, bytes, length);
}
ssize_t writev(int to, const struct iovec *parts, int count) {
    if (ready && regular(to) && fails("write")) return -1;
    return syscall(SYS_writev, to, parts, count);
}
ssize_t pwrite(int to, const void *bytes, size_t length, off_t at) {
    if (ready && regular(to) && fails("write")) return -1;
    return syscall(SYS_pwrite64, to, bytes, length, at);
}
ssize_t pwrite64(int to, const void *bytes, size_t length, off64_t at) { return pwrite(to, bytes, length, at); }

int fsync(int of) { return fails("sync") ? -1 : (int)syscall(SYS_fsync, of); }
int fdatasync(int of) { return fails("sync") ? -1 : (int)syscall(SYS_fdatasync, of); }

int rename(const char *from_, const char *to) {
    return fails("rename") ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from_, AT_FDCWD, to, 0);
}
int renameat(int a, const char *from_, int b, const char *to) {
    return fails("rename") ? -1 : (int)syscall(SYS_renameat2, a, from_, b, to, 0);
}
int link(const char *from_, const char *to) {
    return fails("rename") ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from_, AT_FDCWD, to, 0);
}
int mkdir(const char *path, mode_t mode) {
    return fails("open") ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

static int opened(int at, const char *path, int flags, mode_t mode) {
    if ((flags & O_CREAT) && fails("open")) return -1;
    return syscall(SYS_openat, at, path, flags, mode);
}
#define OPEN(name, at, ...)                                                                                            \
    int name(__VA_ARGS__, int flags, ...) {                                                                            \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(more, mode_t) : 0;                                    \
        va_end(more);                                                                                                  \
        return opened(at, path, flags, mode);                                                                          \
    }
OPEN(open, AT_FDCWD, const char *path)
OPEN(open64, AT_FDCWD, const char *path)
OPEN(openat, at, int at, const char *path)
OPEN(openat64, at, int at, const char *path)

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void *malloc(size_t length) { return ready && length >= LARGE && fails("allocate") ? NULL : __libc_malloc(length); }
void *calloc(size_t count, size_t length) {
    return ready && count * length >= LARGE && fails("allocate") ? NULL : __libc_calloc(count, length);
}
void *realloc(void *old, size_t length) {
    return ready && length >= LARGE && fails("allocate") ? NULL : __libc_realloc(old, length);
}
void *mmap(void *at, size_t length, int protection, int flags, int of, off_t offset) {
    if (ready && of < 0 && fails("allocate")) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, length, protection, flags, of, offset);
}

int clock_gettime(clockid_t which, struct timespec *now) {
    static long looks;
    int code = syscall(SYS_clock_gettime, which, now);
    if (!code && ready && !strcmp(kind, "clock") && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) {
        long look = __sync_add_and_fetch(&looks, 1);
        now->tv_sec += look < from ? 0 : look <= until ? number : -number;
    }
    return code;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec found;
    (void)zone;
    int code = clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return code;
}
time_t time(time_t *at) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (at) *at = found.tv_sec;
    return found.tv_sec;
}
