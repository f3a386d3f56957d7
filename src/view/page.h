// The pages of viewer/dist (made by `npm run build` in viewer/), part of this program. Each ends with a zero.
#pragma once

extern const char tn_view_page[];   // index.html: the viewer
extern const char tn_report_page[]; // report.html: reports and tables (tenon/report.h), which stand at
#define TN_REPORT_MARKER "<!-- tenon: report -->"
