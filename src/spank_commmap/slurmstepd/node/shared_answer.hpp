#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "commmap/result.hpp"

namespace commmap::spank {

/// One answer for all processes that are forked after share(): the first that asks works it out,
/// the others wait for it.
class SharedAnswer {
public:
    SharedAnswer() = default;
    SharedAnswer(const SharedAnswer&) = delete;
    SharedAnswer& operator=(const SharedAnswer&) = delete;
    /// The mapping stays: it ends with the processes.
    ~SharedAnswer() = default;

    /// Without it, or when there is no memory for it, each process works out its own.
    void share();
    /// The answer is known before it is asked for.
    void know(std::string answer) { known_ = std::move(answer); }
    /// One of the processes has worked it out.
    [[nodiscard]] bool worked_out() const;

    /// Errors: that of `work`; library when who works it out has not done so within `limit` (it may
    /// be dead). Answers and messages of at most 512 KiB.
    [[nodiscard]] Result<std::string> get(const std::function<Result<std::string>()>& work,
                                          std::chrono::milliseconds limit) const;

    static constexpr std::size_t most_bytes = std::size_t{1} << 19;

private:
    struct Page;
    Page* page_ = nullptr;
    std::optional<std::string> known_;
};

}  // namespace commmap::spank
