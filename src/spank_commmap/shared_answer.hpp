#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "core/base/result.hpp"

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

    /// Errors: that of `work`; library when who works it out has not done so within `limit` (it may
    /// be dead). Answers and messages of at most 512 KiB.
    [[nodiscard]] Result<std::string> get(const std::function<Result<std::string>()>& work,
                                          std::chrono::milliseconds limit) const;

    static constexpr std::size_t most_bytes = std::size_t{1} << 19;

private:
    struct Page;
    Page* page_ = nullptr;
};

}  // namespace commmap::spank
