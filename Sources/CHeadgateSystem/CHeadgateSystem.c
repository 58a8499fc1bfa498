#include "CHeadgateSystem.h"
