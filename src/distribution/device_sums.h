#pragma once

namespace stoker::distribution {

// Lets the devices of all ranks add by themselves, inside their steps, where their backend can, and
// says by what, or why the host does it. Every rank calls it once, after join.
void connect_devices();

}  // namespace stoker::distribution
