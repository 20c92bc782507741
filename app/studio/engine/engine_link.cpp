#include "app/studio/engine/engine_link.h"

#include "core/wire/fields.h"

namespace kurve::studio {

EngineLink::EngineLink(QIODevice* device, QObject* parent) : QObject(parent), device_(device) {
    connect(device, &QIODevice::readyRead, this, &EngineLink::drain);
}

bool EngineLink::send(const std::string& type, nlohmann::json body, const std::string& id) {
    if (!device_->isWritable()) return false;
    const std::string line = wire::encode({type, id, std::move(body)}) + '\n';
    return device_->write(line.data(), static_cast<qint64>(line.size())) == static_cast<qint64>(line.size());
}

void EngineLink::drain() {
    if (!device_->isOpen()) return;
    const QByteArray bytes = device_->readAll();
    for (auto& message : lines_.feed({bytes.data(), static_cast<std::size_t>(bytes.size())})) {
        if (message)
            Q_EMIT received(*message);
        else
            Q_EMIT broken(QString::fromStdString(message.error().text()));
    }
}

QString errorText(const wire::Message& error) {
    const Error said = wire::errorIn(error.body, {});
    const QString message = QString::fromStdString(said.message),
                  remedy = QString::fromStdString(said.remedy);
    return message.endsWith(remedy) ? message : message + QStringLiteral("; ") + remedy;
}

QString protocolProblem(const wire::Message& hello) {
    const int protocol = wire::Fields(hello.body).integer("protocol", 0);
    if (protocol == wire::kProtocol) return {};
    return EngineLink::tr(
               "The engine uses protocol %1, this studio %2. Build both from one commit "
               "(packaging/run).")
        .arg(protocol)
        .arg(wire::kProtocol);
}

}  // namespace kurve::studio
