#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/engine/training_test.h"
#include "tests/support/ssh_server.h"
#include "tests/support/temporary_folder.h"

namespace kurve::testing {

/// A small project and a machine "gpu" to train it on, which is this one behind a real sshd.
class RemoteTest : public TrainingTest {
protected:
    void SetUp() override;
    /// What still trains there would outlive the test, as it should.
    void TearDown() override;
    void writeMachine(const std::string& more = "") const;
    /// A shell script in place of the machine's `kurve`, which it may run.
    void writeProgram(const std::string& script) const;
    [[nodiscard]] std::filesystem::path there() const { return other_ / "project"; }
    [[nodiscard]] std::filesystem::path runThere(const std::string& id = "r") const {
        return there() / "runs" / id;
    }

    enum class Lack : unsigned char { Nothing, Checkpoints };
    /// Both folders hold the same rows and the same files; `lack`: of checkpoints some may be there only.
    void expectSame(const std::string& id, Lack lack = Lack::Nothing) const;
    /// {"code", "message", …} of a command that fails.
    [[nodiscard]] nlohmann::json errorOf(std::vector<std::string> arguments) const;
    /// A program of the machine whose connection is cut, once, when it has done that request; the next one
    /// fails.
    void cutAfter(const std::string& request) const;
    [[nodiscard]] std::filesystem::path wasCut() const { return other_ / "was-cut"; }
    /// Of a training that takes some seconds.
    [[nodiscard]] static std::vector<std::string> longTraining();

    TemporaryFolder other_;
    std::unique_ptr<SshServer> ssh_;
};

}  // namespace kurve::testing
