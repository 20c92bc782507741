#pragma once

#include <QJsonObject>
#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <string>

namespace kurve::studio {

/// A JSON file of the project that follows a state in memory: written half a second after a change,
/// atomically, on a worker (a sync to disk may take seconds on a busy machine). GUI thread.
class StateFile : public QObject {
    Q_OBJECT
public:
    explicit StateFile(std::string path, QObject* parent = nullptr);
    ~StateFile() override;
    /// What the file holds; empty if there is none. One that holds no JSON object is renamed to
    /// NAME.damaged; problem() says so then.
    [[nodiscard]] QJsonObject load();
    /// Why load() returned nothing; empty if it did.
    [[nodiscard]] const QString& problem() const { return problem_; }
    /// Copies the file to this name in the same folder, replacing what is there.
    void keepCopy(const QString& name) const;
    void put(const QJsonObject& state);
    /// Saves unsaved state on the worker at once; saved() or saveFailed() follows.
    void saveNow();
    /// Whether the file holds, or could not be given, what was put last.
    [[nodiscard]] bool isWritten() const { return !dirty_ && writer_.activeThreadCount() == 0; }

Q_SIGNALS:
    void saved();
    void saveFailed(const QString& problem);

private:
    std::string path_;
    QString problem_;
    QJsonObject state_;
    QTimer later_;
    QThreadPool writer_;  ///< one thread: saves keep their order; its destructor waits for the last
    bool dirty_ = false;
};

}  // namespace kurve::studio
