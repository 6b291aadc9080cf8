#pragma once

namespace stoker::distribution {

// Lets the devices of all ranks reduce by themselves inside their steps, if their backend supports
// it, and reports how, or why the host does it instead. Every rank calls it once, after join.
// Returns false if the devices could, but the host does it. A rank that waits for its device for
// longer than the limit terminates all.
bool connect_devices(double timeout_seconds);

}  // namespace stoker::distribution
