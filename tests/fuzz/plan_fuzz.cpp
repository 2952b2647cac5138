// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Kept plans (PlanCache), which lie in a directory of the user's and are given to srun. The input
// stands as it is, and behind a first line with its right hash.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/own_name.hpp"
#include "core/plan/plan_cache.hpp"
#include "core/program/content_id.hpp"
#include "fuzz/fuzz_target.hpp"

namespace commmap::fuzz {
namespace {

/// In memory where there is such a directory, removed at the end.
class Directory {
public:
    Directory() {
        std::string name = std::filesystem::exists("/dev/shm") ? "/dev/shm/commmap-plan-XXXXXX"
                                                               : "/tmp/commmap-plan-XXXXXX";
        require(::mkdtemp(name.data()) != nullptr, "no directory");
        path_ = name;
        std::filesystem::create_directory(path_ / own_name("plans"));
        std::ofstream(path_ / "file") << "text";
    }
    ~Directory() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    [[nodiscard]] std::string path() const { return path_.string(); }
    void write(const std::string& content) const {
        std::ofstream(path_ / own_name("plans") / "key.plan", std::ios::binary) << content;
    }

private:
    std::filesystem::path path_;
};

void read(const Directory& directory, const std::string& content) {
    directory.write(content);
    const PlanCache cache(directory.path());
    const auto plan = cache.find("key");
    if (!plan) return;
    ++taken;
    require(plan.value().launches_left <= PlanCache::most_launches, "more launches than may be");
    require(cache.keep("again", plan.value()).ok(), "a plan that is not kept again");
    const auto again = cache.find("again");
    require(again && again.value() == plan.value(), "another plan");
}

}  // namespace
}  // namespace commmap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace commmap;
    using namespace commmap::fuzz;
    static const Directory directory;
    const std::string text(text_of(data, size));
    read(directory, text);
    read(directory, "commmap-kept-plan 2 " + text_id(text) + "\n" + text);
    return 0;
}
