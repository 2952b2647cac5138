#pragma once

namespace commmap::hooks {

/// Has this process's messages to its PMIx server leave at once. Of two in a row of which the first
/// has no answer the second waits in the kernel until the server has acknowledged the first, which
/// it puts off for 40 ms when it has answered something lately: in MPI_Finalize, Open MPI
/// deregisters its event handlers, and PMIx_Finalize follows. PMIx has a function that sets
/// TCP_NODELAY for that (pmix_ptl_base_setup_socket), but calls it nowhere (4.2.2 to 5.0.7). Does
/// nothing when there is no such socket: PMIX_SERVER_URI* names its port, on 127.0.0.1.
void send_to_server_at_once() noexcept;

}  // namespace commmap::hooks
