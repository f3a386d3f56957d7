#include "view/page.h"

// The file as it is, by the assembler; TENON_VIEW_PAGE is its path (src/CMakeLists.txt).
__asm__(".section .rodata\n"
        ".global tn_view_page\n"
        "tn_view_page:\n"
        ".incbin \"" TENON_VIEW_PAGE "\"\n"
        ".byte 0\n"
        ".previous\n");
