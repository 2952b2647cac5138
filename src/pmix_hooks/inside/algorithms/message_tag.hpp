// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace commmap::inside {

/// Tag of all messages on an OrderedComm. Only one collective at a time runs on a communicator, and
/// messages between two ranks do not overtake each other.
inline constexpr int message_tag = 1;

}  // namespace commmap::inside
