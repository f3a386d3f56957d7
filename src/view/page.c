#include "view/page.h"

// The files as they are, by the assembler; their paths come from src/CMakeLists.txt.
#define EMBED(name, path)                                                                                              \
    __asm__(".section .rodata\n"                                                                                       \
            ".global " name "\n"                                                                                       \
            ".hidden " name "\n"                                                                                       \
            ".type " name ", %object\n" name ":\n"                                                                     \
            ".incbin \"" path "\"\n"                                                                                   \
            ".byte 0\n"                                                                                                \
            ".size " name ", . - " name "\n"                                                                           \
            ".previous\n")

EMBED("tn_view_page", TENON_VIEW_PAGE);
EMBED("tn_report_page", TENON_REPORT_PAGE);
