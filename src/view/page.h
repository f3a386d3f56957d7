// The viewer's page (viewer/dist/index.html, made by `npm run build` in viewer/), part of this program.
#pragma once

extern const char tn_view_page[]; // ends with a zero
