// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <otf2/otf2.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "core/import/import_text.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;

OTF2_FlushType flush_before(void* /*data*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/,
                            void* /*caller*/, bool /*final*/) {
    return OTF2_FLUSH;
}
OTF2_TimeStamp no_time(void* /*data*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/) {
    return 0;
}

/// Four ranks on two nodes, ranks 0 and 2 with a second thread each; locations are 100, 101, ...
/// and 1000, 1002 for the second threads. MPI_COMM_WORLD is communicator 0, {3, 1} is 1, between
/// {0, 1} and {2, 3} is 2, MPI_COMM_SELF is 3. Window 0 is on 1. Regions: MPI_Init 0, MPI_Send 1,
/// MPI_Finalize 2, main 3. 1000 ticks a second.
class Archive {
public:
    using Events = std::function<void(OTF2_EvtWriter* writer, OTF2_LocationRef location)>;

    Archive() {
        char name[] = "/tmp/commmap-otf2-XXXXXX";
        directory_ = ::mkdtemp(name);
    }
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;
    ~Archive() { std::filesystem::remove_all(directory_); }

    [[nodiscard]] std::string path() const { return directory_ + "/trace.otf2"; }

    void write(const char* creator, const Events& events) const {
        OTF2_Archive* const archive =
            OTF2_Archive_Open(directory_.c_str(), "trace", OTF2_FILEMODE_WRITE, 1 << 18, 1 << 18,
                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
        ASSERT_NE(archive, nullptr);
        static const OTF2_FlushCallbacks flush{flush_before, no_time};
        OTF2_Archive_SetFlushCallbacks(archive, &flush, nullptr);
        OTF2_Archive_SetSerialCollectiveCallbacks(archive);
        OTF2_Archive_SetCreator(archive, creator);
        OTF2_Archive_OpenEvtFiles(archive);
        for (const OTF2_LocationRef location : locations) {
            OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive, location);
            events(writer, location);
            OTF2_Archive_CloseEvtWriter(archive, writer);
        }
        OTF2_Archive_CloseEvtFiles(archive);
        OTF2_Archive_OpenDefFiles(archive);
        for (const OTF2_LocationRef location : locations)
            OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, location));
        OTF2_Archive_CloseDefFiles(archive);
        define(OTF2_Archive_GetGlobalDefWriter(archive));
        OTF2_Archive_Close(archive);
    }

    static constexpr std::array<OTF2_LocationRef, 6> locations{100, 101, 102, 103, 1000, 1002};

private:
    static void define(OTF2_GlobalDefWriter* to) {
        OTF2_GlobalDefWriter_WriteClockProperties(to, 1000, 0, 100000, OTF2_UNDEFINED_TIMESTAMP);
        const char* const strings[] = {
            "",         "machine",      "cluster", "node",          "n7", "n8", "MPI_Init",
            "MPI_Send", "MPI_Finalize", "main",    "a communicator"};
        for (OTF2_StringRef i = 0; i < std::size(strings); ++i)
            OTF2_GlobalDefWriter_WriteString(to, i, strings[i]);
        OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, 2, 1, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
        OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 1, 4, 3, 0);
        OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 2, 5, 1, 0);
        OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(to, 2,
                                                       OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
        for (OTF2_LocationGroupRef rank = 0; rank < 4; ++rank)
            OTF2_GlobalDefWriter_WriteLocationGroup(to, rank, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                    rank < 2 ? 1 : 2,
                                                    OTF2_UNDEFINED_LOCATION_GROUP);
        for (const OTF2_LocationRef location : locations)
            OTF2_GlobalDefWriter_WriteLocation(
                to, location, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 0,
                static_cast<OTF2_LocationGroupRef>(location >= 1000 ? location - 1000
                                                                    : location - 100));
        for (OTF2_RegionRef region = 0; region < 4; ++region)
            OTF2_GlobalDefWriter_WriteRegion(to, region, 6 + region, 6 + region, 0,
                                             OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                             OTF2_REGION_FLAG_NONE, 0, 0, 0);
        const std::uint64_t world[] = {100, 101, 102, 103};
        OTF2_GlobalDefWriter_WriteGroup(to, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, 4, world);
        const auto group = [&](OTF2_GroupRef ref, std::vector<std::uint64_t> members) {
            OTF2_GlobalDefWriter_WriteGroup(
                to, ref, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                static_cast<std::uint32_t>(members.size()), members.data());
        };
        group(1, {0, 1, 2, 3});
        group(2, {3, 1});
        group(3, {0, 1});
        group(4, {2, 3});
        OTF2_GlobalDefWriter_WriteGroup(to, 5, 0, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, 0, nullptr);
        OTF2_GlobalDefWriter_WriteComm(to, 0, 10, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        OTF2_GlobalDefWriter_WriteComm(to, 1, 10, 2, 0, OTF2_COMM_FLAG_NONE);
        OTF2_GlobalDefWriter_WriteInterComm(to, 2, 10, 4, 3, 0, OTF2_COMM_FLAG_NONE);
        OTF2_GlobalDefWriter_WriteComm(to, 3, 10, 5, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        OTF2_GlobalDefWriter_WriteRmaWin(to, 0, 10, 1, OTF2_RMA_WIN_FLAG_NONE);
    }

    std::string directory_;
};

Result<Imported> import_archive(const Archive& archive, const ImportOptions& options = {}) {
    return import_profile_files(import_format("otf2"), std::vector<std::string>{archive.path()},
                                options);
}

TEST(ImportOtf2, MessagesOnEveryCommunicator) {
    const Archive archive;
    archive.write("made by a test", [](OTF2_EvtWriter* to, OTF2_LocationRef location) {
        if (location == 100) {
            OTF2_EvtWriter_MpiSend(to, nullptr, 1, 1, 0, 0, 10);       // rank 1
            OTF2_EvtWriter_MpiIsend(to, nullptr, 2, 3, 0, 0, 300, 7);  // rank 3
            OTF2_EvtWriter_MpiIsendComplete(to, nullptr, 3, 7);
            OTF2_EvtWriter_MpiSend(to, nullptr, 4, 1, 2, 0, 20);           // rank 3, of {2, 3}
            OTF2_EvtWriter_MpiSend(to, nullptr, 5, 0, 3, 0, 5);            // itself
            OTF2_EvtWriter_MpiSend(to, nullptr, 6, 4294967294U, 0, 0, 6);  // MPI_PROC_NULL
        }
        if (location == 103) {
            OTF2_EvtWriter_MpiSend(to, nullptr, 1, 1, 1, 0, 30);  // rank 1, second of {3, 1}
            OTF2_EvtWriter_MpiSend(to, nullptr, 2, 0, 2, 0, 40);  // rank 0, of {0, 1}
            OTF2_EvtWriter_MpiRecv(to, nullptr, 3, 0, 0, 0, 300);
        }
        if (location == 1002) OTF2_EvtWriter_MpiSend(to, nullptr, 1, 0, 0, 0, 50);  // rank 2's
    });

    const auto imported = import_archive(archive);

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(messages_of(imported.value()),
              "0>0 1:5 0>1 1:10 0>3 1:20 0>3 1:300 2>0 1:50 3>0 1:40 3>1 1:30");
    const Profile& profile = imported.value().profile;
    EXPECT_EQ(profile.nodes, (std::vector<std::string>{"n7", "n8"}));
    EXPECT_EQ(profile.ranks[1].node, 0U);
    EXPECT_EQ(profile.ranks[2].node, 1U);
}

TEST(ImportOtf2, OneSidedGoesTheWayOfItsBytes) {
    const Archive archive;
    archive.write("made by a test", [](OTF2_EvtWriter* to, OTF2_LocationRef location) {
        if (location != 101) return;
        OTF2_EvtWriter_RmaPut(to, nullptr, 1, 0, 0, 10, 1);
        OTF2_EvtWriter_RmaGet(to, nullptr, 2, 0, 0, 100, 2);
        OTF2_EvtWriter_RmaAtomic(to, nullptr, 3, 0, 0, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD, 8, 8, 3);
        OTF2_EvtWriter_RmaAtomic(to, nullptr, 4, 0, 0, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, 8, 0, 4);
    });

    const auto imported = import_archive(archive);

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(messages_of(imported.value()), "1>3 3:26 3>1 1:8 3>1 1:100");
}

TEST(ImportOtf2, Times) {
    const Archive archive;
    archive.write("made by a test", [](OTF2_EvtWriter* to, OTF2_LocationRef location) {
        if (location == 100) {
            OTF2_EvtWriter_Enter(to, nullptr, 1000, 3);
            OTF2_EvtWriter_Enter(to, nullptr, 2000, 0);
            OTF2_EvtWriter_Leave(to, nullptr, 3000, 0);
            OTF2_EvtWriter_Enter(to, nullptr, 4000, 1);
            OTF2_EvtWriter_Enter(to, nullptr, 4100, 1);  // which MPI itself calls
            OTF2_EvtWriter_Leave(to, nullptr, 4200, 1);
            OTF2_EvtWriter_Leave(to, nullptr, 4500, 1);
            OTF2_EvtWriter_Enter(to, nullptr, 8000, 2);
            OTF2_EvtWriter_Leave(to, nullptr, 9000, 2);
            OTF2_EvtWriter_Leave(to, nullptr, 9500, 3);
        }
        if (location == 1000) {
            OTF2_EvtWriter_Enter(to, nullptr, 5000, 1);
            OTF2_EvtWriter_Leave(to, nullptr, 5250, 1);
        }
        if (location == 101) {
            OTF2_EvtWriter_Enter(to, nullptr, 1000, 1);
            OTF2_EvtWriter_Leave(to, nullptr, 3000, 1);
        }
    });

    const auto imported = import_archive(archive);

    ASSERT_TRUE(imported) << imported.error().message;
    const Profile& profile = imported.value().profile;
    EXPECT_DOUBLE_EQ(profile.ranks[0].wall_s, 5.0);  // MPI_Init's end to MPI_Finalize's begin
    EXPECT_DOUBLE_EQ(profile.ranks[0].mpi_s, 0.75);
    EXPECT_EQ(profile.call_names, std::vector<std::string>{"MPI_Send"});
    EXPECT_EQ(profile.ranks[0].calls, (std::vector<CallTime>{{0, 0.75F, 2}}));
    EXPECT_DOUBLE_EQ(profile.ranks[1].wall_s, 2.0);  // first event to last
    EXPECT_DOUBLE_EQ(profile.ranks[1].mpi_s, 2.0);
    EXPECT_DOUBLE_EQ(profile.phases[0].wall_s, 7.0 / 4);
}

/// A bcast of 100 bytes from rank 1 on {3, 1}, an allreduce of 8 bytes on all, a gatherv to rank 2
/// of 10 bytes and one for each rank, and a barrier between the groups.
void call_collectives(OTF2_EvtWriter* to, OTF2_LocationRef location) {
    if (location >= 1000) return;
    const std::uint64_t rank = location - 100;
    if (rank == 1 || rank == 3) {
        OTF2_EvtWriter_MpiCollectiveBegin(to, nullptr, 1);
        OTF2_EvtWriter_MpiCollectiveEnd(to, nullptr, 2, OTF2_COLLECTIVE_OP_BCAST, 1, 1,
                                        rank == 1 ? 200 : 0, 100);
    }
    OTF2_EvtWriter_NonBlockingCollectiveRequest(to, nullptr, 3, 9);
    OTF2_EvtWriter_NonBlockingCollectiveComplete(to, nullptr, 4, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                                 OTF2_COLLECTIVE_ROOT_NONE, 32, 32, 9);
    OTF2_EvtWriter_MpiCollectiveEnd(to, nullptr, 5, OTF2_COLLECTIVE_OP_GATHERV, 0, 2, 10 + rank,
                                    rank == 2 ? 46 : 0);
    OTF2_EvtWriter_MpiCollectiveEnd(to, nullptr, 6, OTF2_COLLECTIVE_OP_BARRIER, 2,
                                    OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    OTF2_EvtWriter_MpiCollectiveEnd(to, nullptr, 7, OTF2_COLLECTIVE_OP_CREATE_HANDLE, 0,
                                    OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
}

TEST(ImportOtf2, CollectivesAsScorePCounts) {
    const Archive archive;
    archive.write("Score-P 8.3", call_collectives);

    const auto imported = import_archive(archive);

    ASSERT_TRUE(imported) << imported.error().message;
    const Profile& profile = imported.value().profile;
    ASSERT_EQ(profile.communicators.size(), 2U);
    // between {0, 1} and {2, 3} is one list with that of all, in which no root is
    ASSERT_EQ(profile.communicators[0], (std::vector<RankId>{0, 1, 2, 3}));
    ASSERT_EQ(profile.communicators[1], (std::vector<RankId>{3, 1}));
    EXPECT_THAT(
        profile.phases[0].collectives,
        testing::UnorderedElementsAre(
            CollectiveRecord{.op = CollectiveOp::bcast,
                             .communicator = 1,
                             .root = 1,
                             .calls = 1,
                             .member_calls = 2,
                             .member_bytes = 200,
                             .bucket = 2},
            CollectiveRecord{
                .op = CollectiveOp::allreduce, .calls = 1, .member_calls = 4, .member_bytes = 32},
            CollectiveRecord{.op = CollectiveOp::gather,
                             .root = 2,
                             .calls = 1,
                             .member_calls = 4,
                             .member_bytes = 46,
                             .in_peer_traffic = true},
            CollectiveRecord{.op = CollectiveOp::barrier,
                             .calls = 1,
                             .member_calls = 4,
                             .in_peer_traffic = true}));
    EXPECT_EQ(messages_of(imported.value()), "0>2 1:10 1>2 1:11 3>2 1:13");
}

TEST(ImportOtf2, CollectivesOfOthersHaveTheBuffer) {
    const Archive archive;
    archive.write("", call_collectives);

    const auto imported = import_archive(archive);

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_THAT(imported.value().profile.phases[0].collectives,
                testing::Contains(CollectiveRecord{.op = CollectiveOp::allreduce,
                                                   .calls = 1,
                                                   .member_calls = 4,
                                                   .member_bytes = 128,
                                                   .bucket = 1}));
}

TEST(ImportOtf2, EventsWithoutSense) {
    const std::vector<std::pair<std::string, Archive::Events>> cases = {
        {"an event of rank 0 names rank 4, which its communicator does not have",
         [](OTF2_EvtWriter* to, OTF2_LocationRef location) {
             if (location == 100) OTF2_EvtWriter_MpiSend(to, nullptr, 1, 4, 0, 0, 10);
         }},
        {"an event of rank 0 is on a communicator that is not defined",
         [](OTF2_EvtWriter* to, OTF2_LocationRef location) {
             if (location == 100) OTF2_EvtWriter_MpiSend(to, nullptr, 1, 0, 77, 0, 10);
         }},
        {"an event of rank 0 names root 9",
         [](OTF2_EvtWriter* to, OTF2_LocationRef location) {
             if (location == 100)
                 OTF2_EvtWriter_MpiCollectiveEnd(to, nullptr, 1, OTF2_COLLECTIVE_OP_BCAST, 0, 9, 1,
                                                 1);
         }},
        {"64 bits",
         [](OTF2_EvtWriter* to, OTF2_LocationRef location) {
             if (location != 100) return;
             OTF2_EvtWriter_MpiSend(to, nullptr, 1, 1, 0, 0, UINT64_MAX);
             OTF2_EvtWriter_MpiSend(to, nullptr, 2, 1, 0, 0, UINT64_MAX);
         }},
    };
    for (const auto& [why, events] : cases) {
        const Archive archive;
        archive.write("made by a test", events);
        const auto imported = import_archive(archive);
        ASSERT_FALSE(imported) << why;
        EXPECT_THAT(imported.error().message, HasSubstr(archive.path() + ": "));
        EXPECT_THAT(imported.error().message, HasSubstr(why));
    }
}

TEST(ImportOtf2, DamagedArchives) {
    const Archive archive;
    archive.write("made by a test", call_collectives);
    ASSERT_TRUE(import_archive(archive));
    EXPECT_FALSE(import_archive(archive, {.num_ranks = 3}));
    const std::string base = archive.path().substr(0, archive.path().size() - 5);
    for (const std::string& file : {archive.path(), base + ".def", base + "/100.evt"}) {
        std::string content;
        {
            std::ifstream in(file, std::ios::binary);
            content.assign(std::istreambuf_iterator<char>(in), {});
        }
        ASSERT_FALSE(content.empty()) << file;
        const auto with = [&](const std::string& text) {
            std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
            const auto imported = import_archive(archive);
            if (imported) return;  // what nobody reads may be anything
            EXPECT_EQ(imported.error().message.find('\n'), std::string::npos);
            EXPECT_THAT(imported.error().message, HasSubstr(archive.path()));
        };
        for (std::size_t size = 0; size < content.size(); size += 1 + content.size() / 12)
            with(content.substr(0, size));
        for (std::size_t at = 0; at < content.size(); at += 1 + content.size() / 24) {
            std::string flipped = content;
            flipped[at] = static_cast<char>(~flipped[at]);
            with(flipped);
        }
        with(content);
        EXPECT_TRUE(import_archive(archive)) << file;
    }
    for (const std::uintmax_t missing : {1U, 2U, 30U}) {
        const auto whole = std::filesystem::file_size(base + "/103.evt");
        std::filesystem::resize_file(base + "/103.evt", whole - missing);
        const auto cut = import_archive(archive);
        ASSERT_FALSE(cut) << missing;
        EXPECT_THAT(cut.error().message, HasSubstr("rank 3 are not whole (103.evt"));
    }
    std::filesystem::remove(base + "/100.evt");
    const auto without = import_archive(archive);
    ASSERT_FALSE(without);
    EXPECT_THAT(without.error().message, HasSubstr("rank 0"));
}

}  // namespace
}  // namespace commmap
