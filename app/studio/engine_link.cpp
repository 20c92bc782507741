#include "app/studio/engine_link.h"

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
    const auto text = [&](const char* key) {
        const auto found = error.body.find(key);
        return found != error.body.end() && found->is_string()
                   ? QString::fromStdString(found->get<std::string>())
                   : QString();
    };
    const QString message = text("message"), remedy = text("remedy");
    return message.endsWith(remedy) ? message : message + QStringLiteral("; ") + remedy;
}

}  // namespace kurve::studio
