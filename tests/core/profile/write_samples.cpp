// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Writes the files of tests/data/profile. usage: write_profile_samples DIRECTORY
// profile_vN.commmap is never rewritten once a release has read it: it holds the format still.
#include <cstdio>
#include <string>

#include "core/base/file.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/sample_profile.hpp"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: write_profile_samples DIRECTORY\n", stderr);
        return 2;
    }
    const std::string directory = argv[1];
    const auto write = [&](const std::string& name, const std::string& content) {
        const commmap::Status written =
            commmap::write_file_atomically(directory + "/" + name + ".commmap", content, 0644);
        if (!written) std::fprintf(stderr, "%s\n", written.error().message.c_str());
        return written.ok();
    };
    const commmap::Profile profile = commmap::sample_profile();
    const std::string content = commmap::encode_profile(profile);
    std::string flipped = content;
    flipped[content.size() / 2] = static_cast<char>(flipped[content.size() / 2] ^ 4);
    std::string newer = content;
    newer[8] = static_cast<char>(commmap::profile_format_version + 1);
    commmap::Profile out_of_range = profile;
    out_of_range.phases[0].sent = commmap::TrafficMatrix({{}, {}, {{3, 0, 1, 1}}});
    const bool good =
        write("profile_v3", commmap::encode_profile(profile, commmap::compress_zstd)) &&
        write("profile_truncated", content.substr(0, 300)) &&
        write("profile_bit_flipped", flipped) && write("profile_newer", newer) &&
        write("profile_rank_out_of_range", commmap::encode_profile(out_of_range));
    return good ? 0 : 1;
}
