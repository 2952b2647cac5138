// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace commmap::hooks {

/// Sets TCP_NODELAY on the socket to this process's PMIx server, so that its messages leave at
/// once.
/// Without TCP_NODELAY, a message behind another that needs no answer waits until the server has
/// acknowledged the first.
/// A server that has answered something lately delays this acknowledgement by 40 ms.
/// MPI_Finalize has such a pair: Open MPI deregisters its event handlers, and PMIx_Finalize
/// follows.
/// PMIx has a function that sets TCP_NODELAY (pmix_ptl_base_setup_socket), but calls it nowhere
/// (4.2.2 to 5.0.7).
/// Does nothing when PMIX_SERVER_URI* names no port on 127.0.0.1, or no socket is connected to that
/// port.
void send_to_server_at_once() noexcept;

}  // namespace commmap::hooks
