// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

#include "commmap/result.hpp"
#include "core/topology/cluster.hpp"
#include "core/topology/editing/link_edit.hpp"

namespace commmap {

/// Checks what edit_links() has written by what is read of it. The links that were to be changed
/// have the measured numbers, to three digits, and so have the switches. All others are as before.
/// @param before, after  the clusters of the old and the new text
/// Errors: internal; the message names the class or switch. invalid_input when a link that was
/// changed stands inside of nodes too.
/// Cost: O((classes + switches) * all edits).
[[nodiscard]] Status check_edited(const Cluster& before, const Cluster& after,
                                  std::span<const LinkEdit> edits,
                                  std::span<const SwitchEdit> switches = {});

}  // namespace commmap
