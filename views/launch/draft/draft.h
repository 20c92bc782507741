#pragma once

#include <QJsonObject>
#include <QMap>
#include <QObject>
#include <QString>
#include <QStringList>
#include <optional>

#include "core/config/run_config.h"
#include "core/frontier/sweep_grid.h"
#include "views/common/data/engine_info.h"
#include "views/launch/queue_state.h"

namespace kurve::views {

/// The draft of a run: an experiment file, a preset, and changes on top of them. Validated as a whole by the
/// code that reads the file in the engine; an invalid draft has errors by field and cannot start.
class Draft : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    void setEngine(const EngineInfo* engine);
    /// The folder of files named by settings (schedules); "" = they are not checked.
    void setProject(const QString& folder);
    /// Reads the file; its problems are in errors() under the empty key or the field's. Changes are
    /// kept, as far as its model has the settings; experimentTaken() has the others. goBack() undoes it.
    void setExperiment(const QString& file);
    void setPreset(const QString& name);  ///< "" = what the file says
    /// "" = what the file says, or of what it is trained on if that is another corpus than the file's.
    void setName(const QString& name);
    /// As --device takes it; "" = the engine's choice. One that is not there is an error under kDevice.
    void setDevice(const QString& device);
    static constexpr const char* kDevice = "--device";
    /// Of machines.toml, as --machine takes it; "" = this one. Another one has other devices: resets that.
    void setMachine(const QString& machine);
    static constexpr const char* kMachine = "--machine";
    /// By machine, its devices; none where they are not known, and any is accepted then. A machine that is
    /// not among them is an error under kMachine.
    void setMachines(const QMap<QString, QStringList>& machines);
    [[nodiscard]] const QMap<QString, QStringList>& machines() const { return machines_; }
    /// The devices of the chosen machine; empty: not known.
    [[nodiscard]] QStringList devices() const;
    void setProcesses(int count);  ///< as --nproc takes it
    /// Machine and device as options for the engine.
    [[nodiscard]] QStringList placeWords() const;
    void setValue(const QString& key, const QString& text);
    void revert(const QString& key);
    void revertAll();
    /// Whether goBack() can restore changes lost by another experiment, revertAll() or adopt().
    [[nodiscard]] bool canGoBack() const { return earlier_.has_value(); }
    /// Swaps with the previous draft.
    void goBack();
    /// The experiment's file since it was read. The draft does not change with it: sets() then contains the
    /// difference, since the engine reads the present file.
    enum class FileState : unsigned char { Same, Changed, Gone };
    /// Checks the file again, and those that settings name; one that could not be read is read as soon as it
    /// changes.
    void checkFile();
    [[nodiscard]] FileState fileState() const { return fileState_; }
    /// Reads the file again; the changes are kept.
    void reloadFile();
    /// Copies the settings of a run (its config text) as changes on top of `experiment`, one of the run's
    /// family.
    Status adopt(const QString& configText, const QString& experiment);

    [[nodiscard]] const QString& experiment() const { return experiment_; }
    [[nodiscard]] const QString& preset() const { return preset_; }
    [[nodiscard]] const QString& name() const { return name_; }
    [[nodiscard]] const QString& device() const { return device_; }
    [[nodiscard]] const QString& machine() const { return machine_; }
    [[nodiscard]] int processes() const { return processes_; }
    /// Differs from the experiment's file as it was read.
    [[nodiscard]] bool isChanged() const;
    /// Null while no experiment file could be read.
    [[nodiscard]] const Schema* schema() const;
    /// What the form shows: the change if there is one, else the file's value.
    [[nodiscard]] QString valueText(const QString& key) const;
    [[nodiscard]] bool isOverridden(const QString& key) const { return values_.contains(key); }
    [[nodiscard]] bool differsFromDefault(const QString& key) const;
    [[nodiscard]] const QMap<QString, QString>& errors() const { return errors_; }
    [[nodiscard]] bool isValid() const { return config_.has_value() && errors_.isEmpty(); }
    /// Its settings are valid, though its file or device may be missing.
    [[nodiscard]] bool hasSettings() const;
    /// Of the first run, if all are valid.
    [[nodiscard]] const std::optional<RunConfig>& config() const { return config_; }
    /// Settings with several values ("1e-3, 3e-4", "64..512:x2") as "key=values"; with any, the draft is a
    /// matrix of runs.
    [[nodiscard]] const QStringList& axes() const { return axes_; }
    /// The runs of the matrix: every combination (0), or so many random draws.
    void setDraws(int count);
    [[nodiscard]] int draws() const { return draws_; }
    /// The settings of each run besides the rest of the draft; one empty entry for a single run.
    [[nodiscard]] const std::vector<frontier::Settings>& runs() const { return runs_; }
    /// "key=value" for each --set of the command line of one of runs(), in a stable order.
    [[nodiscard]] QStringList sets(std::size_t run = 0) const;
    /// One of runs() as words for the engine: "train", the file, "--set" …; without device and processes.
    [[nodiscard]] QStringList words(std::size_t run = 0) const;
    /// One of runs() as a training for the queue.
    [[nodiscard]] QueueItem queueItem(std::size_t run = 0) const;
    /// The equivalent command line, quoted for a POSIX shell.
    [[nodiscard]] QString commandLine(const QString& projectFolder) const;

    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& json);

Q_SIGNALS:
    /// By setExperiment(): the keys of the changes kept, and the changes dropped as "key = value".
    void experimentTaken(const QStringList& carried, const QStringList& dropped);
    /// Changes dropped after the file or the engine description was read again: "key = value".
    void dropped(const QStringList& settings);
    void schemaChanged();  ///< another family or preset: rebuild the form
    void changed();

private:
    struct Earlier {
        QString experiment;
        QJsonObject state;
    };
    void saveEarlier();
    QStringList begin(const QString& experiment);  ///< reads it, then reload()
    void reportDropped(const QStringList& settings);
    QStringList reload();  ///< the changes dropped: "key = value"
    void readFile();
    void compareFile(const Result<std::string>& now);
    void check();
    void checkDevice();
    void checkScheduleFiles();
    [[nodiscard]] Result<RunConfig> parsed(const std::vector<Override>& overrides) const;
    void takeAxes();
    void checkValues(const frontier::Settings& run);
    [[nodiscard]] QString fileValue(const QString& key) const;  ///< of the experiment with its preset
    [[nodiscard]] QString ownName() const;
    [[nodiscard]] QString titleOf(std::size_t run) const;
    [[nodiscard]] std::vector<Override> overrides(std::size_t run) const;
    [[nodiscard]] std::vector<Override> lastingOverrides(std::size_t run) const;
    void addAxisError(Error error, const QString& key);
    void addError(const Error& error, const QString& at = {});  ///< `at`: the field, if not the error's own

    const EngineInfo* engine_ = nullptr;
    QString project_, experiment_, preset_, name_, device_, machine_;
    QMap<QString, QStringList> machines_;
    std::string text_, textNow_;  ///< of the file when it was read, and at the last check
    FileState fileState_ = FileState::Same;
    bool namesFiles_ = false;     ///< a setting names one, as "file:…"
    QString fileProblem_;         ///< why the engine could not read the present file
    std::vector<Override> pins_;  ///< overrides that preserve the draft where the file has changed
    QMap<QString, QString> values_, errors_;
    std::optional<RunConfig> base_, config_;
    QStringList axes_;
    int draws_ = 0, processes_ = 1;
    std::optional<Earlier> earlier_;
    std::vector<frontier::Settings> runs_{{}};
};

}  // namespace kurve::views
