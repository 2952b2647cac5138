#pragma once

namespace commmap::hooks {

/// Has this process's messages to its PMIx server leave at once. Of two in a row the second waits
/// in the kernel until the server has acknowledged the first, which it does 40 ms later when it has
/// nothing to answer yet: PMIx_Finalize sends two, and a fence after PMIx_Commit is one. PMIx has a
/// function that sets TCP_NODELAY for that (pmix_ptl_base_setup_socket), but calls it nowhere
/// (4.2.2 to 5.0.7). Does nothing when there is no such socket.
void send_to_server_at_once() noexcept;

}  // namespace commmap::hooks
