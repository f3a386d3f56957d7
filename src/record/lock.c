// Writers' lock on a recording. HDF5 takes its own of readers and writers alike, but gives up at once.
#include "base/timer.h"
#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

int tn_recording_lock(const char *path, bool create, double seconds)
{
    const double until = tn_timer_now() + seconds;
    int file = open(path, O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0666);
    while (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        if (tn_timer_now() >= until) {
            close(file);
            errno = EWOULDBLOCK;
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return file; // also where the file system has no locks
}
