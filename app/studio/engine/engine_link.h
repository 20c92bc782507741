#pragma once

#include <QIODevice>
#include <QObject>

#include "core/wire/message.h"

namespace kurve::studio {

/// Messages over a byte stream to an engine (its pipes or its control socket). Does not own the device.
class EngineLink : public QObject {
    Q_OBJECT
public:
    explicit EngineLink(QIODevice* device, QObject* parent = nullptr);
    /// Queues a line; false if the device is closed.
    bool send(const std::string& type, nlohmann::json body = nlohmann::json::object(),
              const std::string& id = {});
    /// Reads what has arrived; called by readyRead and once more when a process has ended.
    void drain();

Q_SIGNALS:
    void received(const kurve::wire::Message& message);
    /// An invalid line; the stream continues.
    void broken(const QString& problem);

private:
    QIODevice* device_;
    wire::LineReader lines_;
};

/// The text of an event "error", with its remedy once: some messages end in it already.
[[nodiscard]] QString errorText(const wire::Message& error);
/// Why this studio cannot talk to an engine that says this "hello"; empty: it can.
[[nodiscard]] QString protocolProblem(const wire::Message& hello);

}  // namespace kurve::studio
