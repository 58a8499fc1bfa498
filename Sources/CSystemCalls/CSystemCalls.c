#include "CSystemCalls.h"
