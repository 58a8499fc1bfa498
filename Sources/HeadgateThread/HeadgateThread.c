#include "HeadgateThread.h"

HEADGATE_THREAD_LOCAL int64_t headgate_thread_depth;
HEADGATE_THREAD_LOCAL struct headgate_mark *headgate_thread_marks;
