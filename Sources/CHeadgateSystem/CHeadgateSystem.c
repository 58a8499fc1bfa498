#include "CHeadgateSystem.h"

#include <fcntl.h>
#include <unistd.h>

int headgate_above_standard_streams(int descriptor) {
    if (descriptor < 0 || descriptor > 2) return descriptor;
    int other = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    int code = errno;
    close(descriptor);
    errno = code;
    return other;
}

// Opens something that can't be used for each standard stream that is closed, before anything else in the process opens a
// descriptor: the thread pool's own would take the numbers, too.
__attribute__((constructor)) static void guard_standard_streams(void) {
    for (int number = 0; number < 3; number++)
        // Takes the lowest free number, which is this one. Using it in its own direction fails with EBADF.
        if (fcntl(number, F_GETFD) < 0) open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY);
}
