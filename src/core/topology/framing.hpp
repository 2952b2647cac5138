// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace commmap {

/// Bytes on the wire for a byte of a message: an Ethernet frame of 1,538 bytes holds 1,448 bytes of
/// a message over TCP.
inline constexpr double wire_bytes_per_byte = 1538.0 / 1448.0;

}  // namespace commmap
