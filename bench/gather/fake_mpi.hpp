// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace commmap {

// As much of MPI as gathering needs, for one rank after another in one process: a rank runs when
// all that is sent to it from higher ranks has been sent. What comes from a lower one is all zeros.

/// Where messages to and from some ranks are kept as files for a process of its own, `FROM-TO`;
/// empty: nowhere.
void keep_messages(const std::string& directory, int to);
/// From now on this process is `rank`. @param directory  empty, or where what is sent to it is read
/// from; what it sends is dropped then
void become(int rank, const std::string& directory = {});

/// What the rank has received and sent since it is that.
struct Exchanged {
    std::uint64_t received_bytes = 0;
    std::uint64_t sent_bytes = 0;
    int senders = 0;   ///< how many ranks it received from
    int partners = 0;  ///< how many it received from or sent to
};
[[nodiscard]] Exchanged exchanged();

}  // namespace commmap
