// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>

#include "core/history/store/history_store.hpp"

namespace commmap::cli {

/// Returns a line for each group of runs that are compared.
[[nodiscard]] std::string history_summary(std::span<const HistoryStore::Entry> entries);

/// Returns the runs one by one, predicted beside measured, and the conclusions from them.
[[nodiscard]] std::string history_text(std::span<const HistoryStore::Entry> entries);

/// Returns the same as JSON: a list of histories. docs/user/history.md has the keys.
[[nodiscard]] std::string history_json(std::span<const HistoryStore::Entry> entries);

}  // namespace commmap::cli
