#include "HeadgateThread.h"
