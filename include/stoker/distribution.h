#pragma once

namespace stoker::distribution {

// Joins the processes that a launcher (mpirun, srun, stoker launch) started this program with, as
// keras.distribution.initialize() does. fit and evaluate do it, too; a program that prints or loads
// data before them calls it first. Throws InvalidArgument or DeviceError. In a program that was
// started alone it does nothing.
void initialize();

int process_id();     // 0 for the one that prints and writes files
int num_processes();  // 1 in a program that was started alone

}  // namespace stoker::distribution
