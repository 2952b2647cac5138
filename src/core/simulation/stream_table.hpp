// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <unordered_map>

#include "commmap/ids.hpp"
#include "core/simulation/run_script.hpp"

namespace commmap {

enum class StreamUse : std::uint8_t { point_to_point, collective, one_sided };

/// Finds the streams and channels of a script, and adds those that are missing.
class StreamTable {
public:
    /// @param script  must outlive the table
    explicit StreamTable(RunScript& script) : script_(script) {}

    /// @return index into RunScript::streams
    std::uint32_t stream(RankId source, RankId destination, StreamUse use) {
        const std::uint32_t on = channel(source, destination);
        const auto [at, is_new] =
            stream_of_.emplace(std::uint64_t{on} << 2 | static_cast<std::uint64_t>(use),
                               static_cast<std::uint32_t>(script_.streams.size()));
        if (is_new)
            script_.streams.push_back(
                {on, use != StreamUse::one_sided, use == StreamUse::collective});
        return at->second;
    }

private:
    std::uint32_t channel(RankId source, RankId destination) {
        const std::uint32_t there = one_way(source, destination);
        const std::uint32_t back = one_way(destination, source);
        script_.channels[there].back = back;
        script_.channels[back].back = there;
        return there;
    }

    std::uint32_t one_way(RankId source, RankId destination) {
        const auto [at, is_new] =
            channel_of_.emplace(std::uint64_t{source} << 32 | destination,
                                static_cast<std::uint32_t>(script_.channels.size()));
        if (is_new) script_.channels.push_back({source, destination, 0});
        return at->second;
    }

    RunScript& script_;
    std::unordered_map<std::uint64_t, std::uint32_t> channel_of_;
    std::unordered_map<std::uint64_t, std::uint32_t> stream_of_;
};

}  // namespace commmap
