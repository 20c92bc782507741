// Where a draft trains: the machine and its device.
#include "views/launch/draft/draft.h"

namespace kurve::views {

void Draft::setDevice(const QString& device) {
    if (device == device_) return;
    device_ = device;
    check();
}

void Draft::setMachine(const QString& machine) {
    if (machine == machine_) return;
    machine_ = machine;
    device_.clear();
    check();
}

void Draft::setMachines(const QMap<QString, QStringList>& machines) {
    if (machines == machines_) return;
    machines_ = machines;
    check();
}

QStringList Draft::devices() const {
    if (!machine_.isEmpty()) return machines_.value(machine_);
    QStringList here;
    if (engine_ != nullptr)
        for (const std::string& device : engine_->devices()) here << QString::fromStdString(device);
    return here;
}

QStringList Draft::placeWords() const {
    QStringList words;
    if (!machine_.isEmpty()) words << QStringLiteral("--machine") << machine_;
    if (!device_.isEmpty()) words << QStringLiteral("--device") << device_;
    return words;
}

void Draft::checkDevice() {
    if (!machine_.isEmpty() && !machines_.contains(machine_))
        errors_.insert(
            QLatin1String(kMachine),
            tr("there is no machine %1; choose another, or add it in Project > Machines").arg(machine_));
    const QStringList names = devices();
    if (device_.isEmpty() || names.isEmpty() || names.contains(device_)) return;
    errors_.insert(QLatin1String(kDevice), tr("device %1 is not available; choose automatic or one of %2")
                                               .arg(device_, names.join(QStringLiteral(", "))));
}

}  // namespace kurve::views
