// The machine a run is made on, in one line for reports.
#pragma once

enum { TN_MACHINE_SIZE = 160 };

// "AMD EPYC 7B13, 2 processors, Linux 6.1.0": what the system tells; never empty.
void tn_machine_describe(char text[TN_MACHINE_SIZE]);
