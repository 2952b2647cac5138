// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Profile files, of both versions. As they are few get past the checksums; so each is also read
// with its checksums put right, and with its sections put where they belong.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/format/profile_codec.hpp"
#include "core/profile/format/profile_file.hpp"
#include "core/profile/format/profile_v3_generated.h"
#include "fuzz/fuzz_target.hpp"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace commmap::fuzz {
namespace {

/// A section of a made-up index may become very long when it is read, which costs memory and finds
/// nothing.
constexpr std::uint64_t most_raw_bytes = std::uint64_t{1} << 20;

/// The numbers of a format3::Section in a buffer of ours.
struct SectionNumbers {
    std::uint64_t offset;
    std::uint64_t stored_bytes;
    std::uint64_t raw_bytes;
    std::uint64_t xxh3;
    std::uint64_t compression;
};
static_assert(sizeof(SectionNumbers) == sizeof(format3::Section));

SectionNumbers* numbers_of(const format3::Section& section) {
    return reinterpret_cast<SectionNumbers*>(
        reinterpret_cast<std::uint8_t*>(const_cast<format3::Section*>(&section)));
}

std::vector<SectionNumbers*> sections_of(const format3::Index& index) {
    std::vector<SectionNumbers*> sections{numbers_of(*index.communicators())};
    const auto add = [&](const flatbuffers::Vector<const format3::RankSection*>* parts) {
        if (reinterpret_cast<std::uintptr_t>(parts->Data()) % alignof(format3::RankSection) != 0)
            return;  // which the reader refuses
        for (const format3::RankSection* part : *parts)
            sections.push_back(numbers_of(part->section()));
    };
    add(index.ranks());
    add(index.calls());
    if (index.round_collectives() != nullptr)
        sections.push_back(numbers_of(*index.round_collectives()));
    if (index.rounds() != nullptr) add(index.rounds());
    if (index.topologies() != nullptr) sections.push_back(numbers_of(*index.topologies()));
    for (const format3::Phase* phase : *index.phases()) {
        sections.push_back(numbers_of(*phase->collectives()));
        add(phase->traffic());
        if (phase->rank_times() != nullptr) add(phase->rank_times());
    }
    return sections;
}

/// One behind the other, the last one to the end of the file.
void put_in_place(std::vector<SectionNumbers*> sections, std::uint64_t there) {
    std::stable_sort(
        sections.begin(), sections.end(),
        [](const SectionNumbers* a, const SectionNumbers* b) { return a->offset < b->offset; });
    std::uint64_t next = 0;
    for (SectionNumbers* section : sections) {
        section->compression %= 2;
        section->offset = next;
        section->stored_bytes = section == sections.back()
                                    ? there - next
                                    : std::min(section->stored_bytes, there - next);
        section->raw_bytes = section->compression == 0
                                 ? section->stored_bytes
                                 : std::min(section->raw_bytes, most_raw_bytes);
        next += section->stored_bytes;
    }
}

/// Leaves the meaning as it is, and puts right what would keep a reader from it.
std::string repaired(std::string_view input, bool places) {
    ProfileHeader header{};
    std::memcpy(&header, input.data(), std::min(input.size(), sizeof header));
    std::memcpy(header.magic, ProfileHeader::magic_letters, sizeof header.magic);
    header.version = header.version == 1 ? 1 : 3;
    header.reserved = 0;
    const std::string_view rest = input.substr(std::min(input.size(), sizeof header));
    header.index_bytes = header.version == 1
                             ? rest.size()
                             : std::min<std::uint64_t>(header.index_bytes, rest.size());
    // aligned as FlatBuffers wants it
    std::vector<std::uint64_t> words(rest.size() / sizeof(std::uint64_t) + 1);
    auto* const index = reinterpret_cast<std::uint8_t*>(words.data());
    std::copy(rest.begin(), rest.end(), index);
    flatbuffers::Verifier verifier(index, header.index_bytes);
    if (header.version == 3 && verifier.VerifyBuffer<format3::Index>(nullptr)) {
        const auto sections = sections_of(*flatbuffers::GetRoot<format3::Index>(index));
        const std::uint64_t there = rest.size() - header.index_bytes;
        if (places) put_in_place(sections, there);
        for (SectionNumbers* section : sections) {
            if (section->compression != 0)
                section->raw_bytes = std::min(section->raw_bytes, most_raw_bytes);
            if (section->offset > there || section->stored_bytes > there - section->offset)
                continue;
            section->xxh3 =
                XXH3_64bits(index + header.index_bytes + section->offset, section->stored_bytes);
        }
    }
    header.index_xxh3 = XXH3_64bits(index, header.index_bytes);
    std::string content(reinterpret_cast<const char*>(&header), sizeof header);
    return content.append(reinterpret_cast<const char*>(index), rest.size());
}

void read(std::string_view content) {
    const auto file = ProfileFile::of_content(content);
    if (!file) return;
    // not only behind the ranks, whose sections say more of what there is
    for (std::size_t i = 0; i < file.value().phases().size(); ++i)
        static_cast<void>(file.value().phase(i));
    const auto profile = file.value().whole();
    if (!profile) return;
    ++taken;
    const auto again = decode_profile(encode_profile(profile.value()));
    require(again.ok(), "what was read and written is not read again");
    require(again.value().ranks == profile.value().ranks, "other ranks");
    require(again.value().communicators == profile.value().communicators, "other communicators");
    require(again.value().phases.size() == profile.value().phases.size(), "other phases");
    for (std::size_t i = 0; i < profile.value().phases.size(); ++i) {
        const Phase& one = profile.value().phases[i];
        const Phase& other = again.value().phases[i];
        require(one.sent == other.sent && one.collectives == other.collectives, "other traffic");
        require(one.rank_times == other.rank_times, "other times of ranks");
    }
    require(again.value().rounds == profile.value().rounds, "other rounds");
}

}  // namespace
}  // namespace commmap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace commmap::fuzz;
    const std::string_view input = text_of(data, size);
    read(input);
    read(repaired(input, false));
    read(repaired(input, true));
    return 0;
}
