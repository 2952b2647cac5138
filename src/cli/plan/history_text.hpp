#pragma once

#include <span>
#include <string>

#include "core/history/history_store.hpp"

namespace commmap::cli {

/// A line for each group of runs that are compared.
[[nodiscard]] std::string history_summary(std::span<const HistoryStore::Entry> entries);

/// Run by run, predicted beside measured, and what is made of them.
[[nodiscard]] std::string history_text(std::span<const HistoryStore::Entry> entries);

/// The same as JSON: a list of histories, docs/user/history.md has the keys.
[[nodiscard]] std::string history_json(std::span<const HistoryStore::Entry> entries);

}  // namespace commmap::cli
