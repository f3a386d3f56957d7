// heap_spheres.h with what a test needs besides.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap_spheres.h"
#include "test.h"
