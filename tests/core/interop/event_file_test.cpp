// TensorBoard's event files: what TensorBoard itself reads from them is the truth (tests/golden/interop).
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "core/base/file.h"
#include "core/interop/detail/crc32c.h"
#include "core/interop/detail/event_decoder.h"
#include "core/interop/scalar_log.h"
#include "tests/fuzz/memory_file.h"
#include "tests/support/temporary_folder.h"

namespace kurve::interop {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using testing::TemporaryFolder;

fs::path golden() {
    return fs::path(KURVE_SOURCE_DIR) / "tests/golden/interop";
}
json goldenNumbers() {
    return json::parse(*readFile(golden() / "events.json"));
}
fs::path plainFile() {
    return golden() / "events/plain/events.out.tfevents.1700000000.golden";
}

kurve::testing::MemoryFile memoryFile(const std::string& bytes) {
    return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

json numberJson(double v) {
    return std::isnan(v) ? json("nan") : std::isinf(v) ? json(v > 0 ? "inf" : "-inf") : json(v);
}

/// The curves as TensorBoard shows them: what a later attempt logged again is gone.
json shownCurves(const ScalarLog& log) {
    json curves = json::object();
    for (std::size_t i = 0; i < log.attempts.size(); ++i)
        for (const auto& [metric, series] : log.attempts[i].curves) {
            json& curve = curves[metric];
            for (std::size_t k = 0; k < series.size(); ++k) {
                bool shadowed = false;
                for (std::size_t later = i + 1; later < log.attempts.size(); ++later)
                    shadowed |= series.step[k] >= log.attempts[later].startStep;
                if (shadowed) continue;
                curve["step"].push_back(series.step[k]);
                curve["wall"].push_back(series.wall[k]);
                curve["value"].push_back(numberJson(series.value[k]));
            }
        }
    return curves;
}

/// Writes event files byte by byte.
class EventFileWriter {
public:
    EventFileWriter& record(const std::string& payload) {
        const auto fixed = [&](std::uint64_t value, int size) {
            std::string out;
            for (int i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i));
            return out;
        };
        const std::string length = fixed(payload.size(), 8);
        bytes_ += length + fixed(detail::maskedCrc32c(length), 4) + payload +
                  fixed(detail::maskedCrc32c(payload), 4);
        return *this;
    }
    /// Event{step, summary{value{tag, simple_value 1}}}
    EventFileWriter& scalar(int step, char tag = 'a') {
        return record(time_ + "\x10" + static_cast<char>(step) + "\x2a\x0a\x0a\x08\x0a\x01" + tag + "\x15" +
                      std::string("\x00\x00\x80\x3f", 4));
    }
    /// Of the events from here on: Event{wall_time}.
    EventFileWriter& at(double wall) {
        time_ = "\x09" + std::string(reinterpret_cast<const char*>(&wall), sizeof wall);
        return *this;
    }
    EventFileWriter& start(int step) {
        return record(std::string("\x10") + static_cast<char>(step) + "\x3a\x02\x08\x01");
    }
    void save(const fs::path& file) const { std::ofstream(file, std::ios::binary) << bytes_; }

private:
    std::string bytes_, time_;
};

TEST(Crc32c, AgreesWithRfc3720) {
    EXPECT_EQ(detail::crc32c("123456789"), 0xE3069283u);
    EXPECT_EQ(detail::crc32c(std::string(32, '\0')), 0x8A9136AAu);
    EXPECT_EQ(detail::crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
    EXPECT_EQ(detail::crc32c(""), 0u);
}

TEST(EventFiles, HoldWhatTensorBoardReads) {
    const auto logs = readEventFiles(golden() / "events", {});
    ASSERT_TRUE(logs) << logs.error().text();
    ASSERT_THAT(*logs, SizeIs(3));
    const json runs = goldenNumbers()["runs"];
    for (const auto& log : *logs) EXPECT_EQ(shownCurves(log), runs[log.name]) << log.name;
}

TEST(EventFiles, CountNonScalarValues) {
    const auto logs = readEventFiles(golden() / "events", {});
    ASSERT_TRUE(logs);
    EXPECT_THAT((*logs)[0].notes, ElementsAre("left out non-scalar values: 1 histogram, 1 text"));
    EXPECT_THAT((*logs)[2].notes, ElementsAre("left out non-scalar values: 1 tensor"));
}

TEST(EventFiles, KeepWhatWasLoggedAgain) {
    const auto logs = readEventFiles(golden() / "events", {});
    ASSERT_TRUE(logs);
    const ScalarLog& restart = (*logs)[1];
    ASSERT_THAT(restart.attempts, SizeIs(2));
    EXPECT_EQ(restart.attempts[1].startStep, 3);
    EXPECT_THAT(restart.attempts[0].curves.at("loss").value, ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_EQ(restart.files.size(), 2u);
}

TEST(EventFiles, RestartOnlyWhereSomethingIsLoggedAgain) {
    const TemporaryFolder folder;
    EventFileWriter().scalar(1).start(0).scalar(2).save(folder / "late.tfevents");  // a word that comes late
    EventFileWriter().scalar(1).save(folder / "a.tfevents.1");
    EventFileWriter().start(2).scalar(2).save(folder / "a.tfevents.2");
    for (const char* name : {"late.tfevents", "a.tfevents.1"}) {
        const auto logs = readEventFiles(folder / name, {});
        ASSERT_TRUE(logs);
        EXPECT_THAT((*logs)[0].attempts, SizeIs(1)) << name;
    }
    fs::remove(folder / "late.tfevents");
    EXPECT_THAT((*readEventFiles(folder.path(), {}))[0].attempts, SizeIs(1));
    EventFileWriter().start(1).scalar(1).save(folder / "a.tfevents.3");
    EXPECT_THAT((*readEventFiles(folder.path(), {}))[0].attempts, SizeIs(2));
}

// As PyTorch writes them: a resumed training begins a new file and says nothing.
TEST(EventFiles, ALaterFileThatGoesBackIsARestart) {
    const TemporaryFolder folder;
    const auto attempts = [&] { return (*readEventFiles(folder.path(), {}))[0].attempts; };
    EventFileWriter().at(100).scalar(1).at(101).scalar(2).at(102).scalar(3).save(folder / "a.tfevents.1");
    EventFileWriter().at(200).scalar(2, 'n').at(201).scalar(3).at(202).scalar(4).save(folder /
                                                                                      "a.tfevents.2");
    const auto logs = readEventFiles(folder.path(), {});
    ASSERT_TRUE(logs);
    ASSERT_THAT((*logs)[0].attempts, SizeIs(2));
    EXPECT_EQ((*logs)[0].attempts[1].startStep, 2) << "also where a curve is new in it";
    EXPECT_THAT((*logs)[0].attempts[1].curves.at("n").step, ElementsAre(2));
    EXPECT_THAT((*logs)[0].attempts[1].curves.at("a").step, ElementsAre(3, 4));
    EXPECT_THAT((*logs)[0].notes, ElementsAre(HasSubstr("begins again at step 2")));
    EventFileWriter().at(101).scalar(2).save(folder / "a.tfevents.2");
    EXPECT_THAT(attempts(), SizeIs(1)) << "beside the first: two writers at once";
    EventFileWriter().at(200).scalar(4).save(folder / "a.tfevents.2");
    EXPECT_THAT(attempts(), SizeIs(1)) << "it goes on where the first ended";
    EventFileWriter().at(200).scalar(0, 't').save(folder / "a.tfevents.2");
    EXPECT_THAT(attempts(), SizeIs(1)) << "a test's score at the end takes nothing away";
}

// Every prefix of the file: what its whole records say, and a note that names where the cut-off one begins.
TEST(EventFiles, EveryPrefixIsReadUpToItsLastWholeRecord) {
    const std::string bytes = *readFile(plainFile());
    const json numbers = goldenNumbers();
    const auto starts = numbers["plain_records"].get<std::vector<std::size_t>>();
    const json all = numbers["runs"]["plain"];
    ASSERT_EQ(starts.back(), bytes.size());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto file = memoryFile(bytes.substr(0, size));
        const auto whole = static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), size) -
                                                    starts.begin() - 1);
        // Records: the version, eight losses, histogram and text, two sizes.
        const std::size_t losses = std::min<std::size_t>(whole > 0 ? whole - 1 : 0, 8);
        const auto logs = readEventFiles(file.path(), {});
        ASSERT_EQ(logs.has_value(), losses > 0) << size;
        if (!logs) {
            EXPECT_EQ(logs.error().code, "import.empty");
            continue;
        }
        const ScalarLog& log = logs->front();
        const json loss = shownCurves(log)["loss/train"];
        ASSERT_EQ(loss["value"].size(), losses) << size;
        for (std::size_t i = 0; i < losses; ++i) ASSERT_EQ(loss["value"][i], all["loss/train"]["value"][i]);
        const bool isCut = starts[whole] != size;
        const std::string note = fmt::format("record {} at byte {} is cut off", whole + 1, starts[whole]);
        ASSERT_EQ(isCut, !log.notes.empty() && log.notes[0].find(note) != std::string::npos) << size;
    }
}

TEST(EventFiles, ADamagedByteNamesRecordAndOffset) {
    const std::string bytes = *readFile(plainFile());
    const auto starts = goldenNumbers()["plain_records"].get<std::vector<std::size_t>>();
    const auto withDamage = [&](std::size_t at) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        return damaged;
    };
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        const auto file = memoryFile(withDamage(at));
        const auto record = std::upper_bound(starts.begin(), starts.end(), at) - starts.begin();
        const auto logs = readEventFiles(file.path(), {});
        ASSERT_FALSE(logs) << at;
        EXPECT_EQ(logs.error().code, "import.crc");
        EXPECT_EQ(logs.error().exitCode(), 1);
        EXPECT_THAT(logs.error().message,
                    HasSubstr(fmt::format("record {} at byte {} ", record,
                                          starts[static_cast<std::size_t>(record) - 1])));
    }
    const auto file = memoryFile(withDamage(bytes.size() - 1));
    const auto upTo = readEventFiles(file.path(), {.skipBad = true});
    ASSERT_TRUE(upTo);
    EXPECT_EQ(upTo->front().points(), 9);
}

TEST(EventFiles, WhatFollowsADamagedRecordIsReadWhereItsLengthIsRight) {
    const TemporaryFolder folder;
    const auto file = folder / "x.tfevents";
    EventFileWriter().scalar(1).scalar(2).scalar(3).save(file);
    const std::string bytes = *readFile(file);
    const auto points = [&](std::size_t at) {  // with that byte of the second record changed
        std::string damaged = bytes;
        damaged[bytes.size() / 3 + at] ^= 0x10;
        std::ofstream(file, std::ios::binary) << damaged;
        const auto logs = readEventFiles(file, {.skipBad = true});
        EXPECT_TRUE(logs && logs->front().notes.size() == 1) << at;
        return logs ? logs->front().attempts[0].curves.at("a").step : GrowingList<std::int64_t>{};
    };
    EXPECT_THAT(points(20), ElementsAre(1, 3)) << "its data";
    EXPECT_THAT(points(1), ElementsAre(1)) << "its length";
}

TEST(EventFiles, AFolderSaysWhatItLacks) {
    const TemporaryFolder folder;
    std::ofstream(folder / "data.csv") << "step,loss\n1,2\n";
    EXPECT_THAT(readEventFiles(folder.path(), {}).error().text(), HasSubstr("no event files; their names"));
    fs::create_directories(folder / "begun");
    std::ofstream(folder / "begun" / "events.tfevents.1");
    EXPECT_THAT(readEventFiles(folder.path(), {}).error().message, "no scalars");
    EventFileWriter().scalar(1).save(folder / "y.tfevents");
    const auto logs = readEventFiles(folder.path(), {});
    ASSERT_TRUE(logs && logs->size() == 1);
    EXPECT_THAT(logs->front().notes, ElementsAre("begun has no scalars; left out"));
}

TEST(EventFiles, ARecordThatIsNotAnEventIsNamed) {
    const TemporaryFolder folder;
    EventFileWriter().scalar(1).record("\x2a\x7f").scalar(2).save(folder / "x.tfevents");  // a length beyond
                                                                                           // its end
    const auto logs = readEventFiles(folder / "x.tfevents", {});
    ASSERT_FALSE(logs);
    EXPECT_EQ(logs.error().code, "import.record");
    EXPECT_THAT(logs.error().message, HasSubstr("record 2 at byte 30"));
    const auto rest = readEventFiles(folder / "x.tfevents", {.skipBad = true});
    ASSERT_TRUE(rest);
    EXPECT_THAT(rest->front().attempts[0].curves.at("a").step, ElementsAre(1, 2));
}

// Total: whatever the bytes, an event or nothing, and no read beyond their end.
TEST(EventDecoder, TakesAnyBytes) {
    const std::string bytes = *readFile(plainFile());
    std::uint32_t state = 1;
    for (int round = 0; round < 20000; ++round) {
        const auto random = [&](std::size_t limit) {
            state = state * 1664525u + 1013904223u;
            return static_cast<std::size_t>(state >> 8) % limit;
        };
        const std::size_t begin = random(bytes.size());
        std::string some = bytes.substr(begin, random(120));
        for (int i = 0; i < 3 && !some.empty(); ++i)
            some[random(some.size())] = static_cast<char>(random(256));
        const std::unique_ptr<char[]> exact(new char[some.size()]);  // so that a sanitizer sees its end
        std::copy(some.begin(), some.end(), exact.get());
        (void)detail::decodeEvent({exact.get(), some.size()});
    }
}

}  // namespace
}  // namespace kurve::interop
