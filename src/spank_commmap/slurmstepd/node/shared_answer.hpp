// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "commmap/result.hpp"

namespace commmap::spank {

/// One answer for all processes that are forked after share(). The first process that asks works it
/// out, and the others wait for it.
class SharedAnswer {
public:
    SharedAnswer() = default;
    SharedAnswer(const SharedAnswer&) = delete;
    SharedAnswer& operator=(const SharedAnswer&) = delete;
    /// Leaves the mapping in place: it ends with the processes.
    ~SharedAnswer() = default;

    /// Makes the shared memory. Without it each process works out its own answer.
    void share();
    /// Sets an answer that is known before any process asks.
    void know(std::string answer) { known_ = std::move(answer); }
    /// Returns whether one of the processes has worked out the answer.
    [[nodiscard]] bool worked_out() const;

    /// Returns the answer. Answers and messages have at most 512 KiB.
    /// Errors: those of `work`; library when the other process has not answered within `limit` (it
    /// may be dead).
    [[nodiscard]] Result<std::string> get(const std::function<Result<std::string>()>& work,
                                          std::chrono::milliseconds limit) const;

    static constexpr std::size_t most_bytes = std::size_t{1} << 19;

private:
    struct Page;
    Page* page_ = nullptr;
    std::optional<std::string> known_;
};

}  // namespace commmap::spank
