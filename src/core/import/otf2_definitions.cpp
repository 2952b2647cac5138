// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/import/otf2_definitions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "core/profile/format/profile_codec.hpp"
#include "core/text/one_line.hpp"

namespace commmap {
namespace {

Error wrong_definition(std::string what) { return Error{Errc::invalid_input, std::move(what)}; }

}  // namespace

std::optional<RankId> Otf2Definitions::Communicator::world_rank(RankId rank,
                                                                std::uint32_t other) const {
    if (is_self) return other == 0 ? std::optional(rank) : std::nullopt;
    const std::vector<RankId>* group = &members;
    // In an intercommunicator, `other` is a rank of the group in which the caller is not.
    if (!other_group.empty() && std::find(members.begin(), members.end(), rank) != members.end())
        group = &other_group;
    if (has_world_ranks) return other < num_world ? std::optional(other) : std::nullopt;
    return other < group->size() ? std::optional((*group)[other]) : std::nullopt;
}

// The callbacks' parameters are OTF2's.
// NOLINTBEGIN(bugprone-easily-swappable-parameters)
void Otf2Definitions::set_callbacks(OTF2_GlobalDefReaderCallbacks& callbacks) {
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
        &callbacks,
        [](void* data, std::uint64_t ticks_per_s, std::uint64_t, std::uint64_t,
           std::uint64_t) -> OTF2_CallbackCode {
            self(data).ticks_per_s_ = static_cast<double>(ticks_per_s);
            return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(
        &callbacks, [](void* data, OTF2_StringRef ref, const char* text) -> OTF2_CallbackCode {
            self(data).strings_[ref] = one_line(text == nullptr ? "" : text, 4096);
            return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(
        &callbacks,
        [](void* data, OTF2_SystemTreeNodeRef ref, OTF2_StringRef name, OTF2_StringRef kind,
           OTF2_SystemTreeNodeRef parent) -> OTF2_CallbackCode {
            TreeNode& node = self(data).tree_[ref];
            node.name = name;
            node.kind = kind;
            node.parent = parent;
            return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(
        &callbacks,
        [](void* data, OTF2_SystemTreeNodeRef ref,
           OTF2_SystemTreeDomain domain) -> OTF2_CallbackCode {
            if (domain == OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY)
                self(data).tree_[ref].shares_memory = true;
            return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(
        &callbacks,
        [](void* data, OTF2_LocationGroupRef ref, OTF2_StringRef, OTF2_LocationGroupType,
           OTF2_SystemTreeNodeRef parent, OTF2_LocationGroupRef) -> OTF2_CallbackCode {
            self(data).processes_[ref] = parent;
            return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
        &callbacks,
        [](void* data, OTF2_LocationRef ref, OTF2_StringRef, OTF2_LocationType type, std::uint64_t,
           OTF2_LocationGroupRef group) -> OTF2_CallbackCode {
            if (type == OTF2_LOCATION_TYPE_CPU_THREAD) self(data).locations_[ref] = group;
            return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(
        &callbacks,
        [](void* data, OTF2_GroupRef ref, OTF2_StringRef, OTF2_GroupType type,
           OTF2_Paradigm paradigm, OTF2_GroupFlag flags, std::uint32_t size,
           const std::uint64_t* members) -> OTF2_CallbackCode {
            if (paradigm != OTF2_PARADIGM_MPI) return OTF2_CALLBACK_SUCCESS;
            if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
                self(data).world_.assign(members, members + size);
                self(data).has_world_ = true;
            } else if (type == OTF2_GROUP_TYPE_COMM_GROUP || type == OTF2_GROUP_TYPE_COMM_SELF) {
                Group& group = self(data).groups_[ref];
                group.members.assign(members, members + size);
                group.is_self = type == OTF2_GROUP_TYPE_COMM_SELF;
                group.has_world_ranks = (flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
            }
            return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(
        &callbacks,
        [](void* data, OTF2_CommRef ref, OTF2_StringRef, OTF2_GroupRef group, OTF2_CommRef,
           OTF2_CommFlag) -> OTF2_CallbackCode {
            self(data).comms_[ref] = {group, OTF2_UNDEFINED_GROUP};
            return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(
        &callbacks,
        [](void* data, OTF2_CommRef ref, OTF2_StringRef, OTF2_GroupRef group, OTF2_GroupRef other,
           OTF2_CommRef, OTF2_CommFlag) -> OTF2_CallbackCode {
            self(data).comms_[ref] = {group, other};
            return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(
        &callbacks,
        [](void* data, OTF2_RmaWinRef ref, OTF2_StringRef, OTF2_CommRef comm,
           OTF2_RmaWinFlag) -> OTF2_CallbackCode {
            self(data).windows_[ref] = comm;
            return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
        &callbacks,
        [](void* data, OTF2_RegionRef ref, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef,
           OTF2_RegionRole, OTF2_Paradigm paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t,
           std::uint32_t) -> OTF2_CallbackCode {
            self(data).named_regions_[ref] = {name, paradigm == OTF2_PARADIGM_MPI};
            return OTF2_CALLBACK_SUCCESS;
        });
}
// NOLINTEND(bugprone-easily-swappable-parameters)

std::string Otf2Definitions::text(OTF2_StringRef ref) const {
    const auto known = strings_.find(ref);
    return known == strings_.end() ? std::string() : known->second;
}

/// Finds the node of a process. Score-P writes a class "node", and OTF2 has a domain for what
/// shares memory. EZTrace writes neither.
std::string Otf2Definitions::node_of(OTF2_LocationGroupRef group) const {
    const auto process = processes_.find(group);
    if (process == processes_.end()) return "?";
    auto node = tree_.find(process->second);
    // Climbs at most as often as there are nodes, because a damaged tree may have a cycle.
    for (std::size_t i = 0; i < tree_.size() && node != tree_.end(); ++i) {
        std::string name = text(node->second.name);
        if ((node->second.shares_memory || text(node->second.kind) == "node") && !name.empty())
            return name;
        node = tree_.find(node->second.parent);
    }
    return "?";
}

Status Otf2Definitions::finish_ranks(Profile& profile) {
    if (!has_world_ || world_.empty())
        return wrong_definition("the archive has no MPI ranks (no group COMM_LOCATIONS of MPI)");
    if (world_.size() > max_profile_ranks)
        return Error{Errc::out_of_range,
                     fmt::format("the archive has {} ranks; a profile has {} at most",
                                 world_.size(), max_profile_ranks)};
    std::unordered_map<OTF2_LocationGroupRef, RankId> rank_of_process;
    std::unordered_map<std::string, std::uint32_t> number_of_node;
    // Checks that all ranks are defined, before the profile takes memory for so many ranks.
    for (std::size_t i = 0; i < world_.size(); ++i) {
        const auto location = locations_.find(world_[i]);
        if (location == locations_.end())
            return wrong_definition(
                fmt::format("rank {} is of location {}, which is not defined", i, world_[i]));
        if (!rank_of_process.emplace(location->second, static_cast<RankId>(i)).second)
            return wrong_definition(fmt::format("rank {} is the same process as a lower one", i));
    }
    profile.ranks.resize(world_.size());
    for (std::size_t i = 0; i < world_.size(); ++i) {
        const auto [place, is_new] =
            number_of_node.emplace(node_of(locations_.find(world_[i])->second),
                                   static_cast<std::uint32_t>(number_of_node.size()));
        if (is_new) profile.nodes.push_back(place->first);
        profile.ranks[i].node = place->second;
    }
    for (const auto& [location, process] : locations_)
        if (const auto rank = rank_of_process.find(process); rank != rank_of_process.end())
            threads_.push_back({rank->second, location});
    std::sort(threads_.begin(), threads_.end(), [](const Thread& a, const Thread& b) {
        return std::pair(a.rank, a.location) < std::pair(b.rank, b.location);
    });
    return Ok{};
}

Status Otf2Definitions::members_of(const Group& group, std::vector<RankId>& members) const {
    std::vector<std::uint64_t> sorted = group.members;
    std::sort(sorted.begin(), sorted.end());
    if (!sorted.empty() && sorted.back() >= world_.size())
        return wrong_definition(
            fmt::format("a communicator has rank {} of {}", sorted.back(), world_.size()));
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        return wrong_definition("a communicator has a rank twice");
    members.assign(group.members.begin(), group.members.end());
    return Ok{};
}

Status Otf2Definitions::finish_communicators(Profile& profile) {
    std::map<std::vector<RankId>, std::uint32_t> numbers;
    for (const auto& [ref, comm] : comms_) {
        const auto group = groups_.find(comm.group);
        if (group == groups_.end()) continue;
        Communicator made;
        made.is_self = group->second.is_self;
        made.num_world = static_cast<std::uint32_t>(world_.size());
        made.has_world_ranks = group->second.has_world_ranks;
        if (Status s = members_of(group->second, made.members); !s) return s;
        if (comm.other_group != OTF2_UNDEFINED_GROUP) {
            const auto other = groups_.find(comm.other_group);
            if (other == groups_.end()) continue;
            if (Status s = members_of(other->second, made.other_group); !s) return s;
        }
        if (made.is_self || made.members.empty()) {
            communicators_.emplace(ref, std::move(made));  // its collectives send nothing
            continue;
        }
        // Joins both groups as a profile does: the group with the lowest rank comes first.
        std::vector<RankId> all = made.members;
        all.insert(all.end(), made.other_group.begin(), made.other_group.end());
        if (!made.other_group.empty() &&
            *std::min_element(made.other_group.begin(), made.other_group.end()) <
                *std::min_element(made.members.begin(), made.members.end()))
            std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(made.members.size()),
                        all.end());
        const auto [place, is_new] =
            numbers.emplace(std::move(all), static_cast<std::uint32_t>(numbers.size()));
        if (is_new) profile.communicators.push_back(place->first);
        made.number = place->second;
        communicators_.emplace(ref, std::move(made));
    }
    return Ok{};
}

void Otf2Definitions::finish_regions(Profile& profile) {
    std::unordered_map<std::string, std::uint32_t> numbers;
    for (const auto& [ref, named] : named_regions_) {
        const std::string name = one_line(text(named.name), 80);
        if (!named.is_mpi && !name.starts_with("MPI_")) continue;
        Region region;
        if (name == "MPI_Init" || name == "MPI_Init_thread") {
            region.kind = Region::Kind::init;
        } else if (name == "MPI_Finalize") {
            region.kind = Region::Kind::finalize;
        } else {
            const auto [place, is_new] =
                numbers.emplace(name, static_cast<std::uint32_t>(numbers.size()));
            if (is_new) profile.call_names.push_back(name);
            region.kind = Region::Kind::call;
            region.call = place->second;
        }
        regions_.emplace(ref, region);
    }
}

Status Otf2Definitions::finish(Profile& profile) {
    if (Status s = finish_ranks(profile); !s) return s;
    finish_regions(profile);
    return finish_communicators(profile);
}

const Otf2Definitions::Communicator* Otf2Definitions::communicator(OTF2_CommRef ref) const {
    const auto known = communicators_.find(ref);
    return known == communicators_.end() ? nullptr : &known->second;
}

const Otf2Definitions::Communicator* Otf2Definitions::window(OTF2_RmaWinRef ref) const {
    const auto known = windows_.find(ref);
    return known == windows_.end() ? nullptr : communicator(known->second);
}

Otf2Definitions::Region Otf2Definitions::region(OTF2_RegionRef ref) const {
    const auto known = regions_.find(ref);
    return known == regions_.end() ? Region{} : known->second;
}

}  // namespace commmap
