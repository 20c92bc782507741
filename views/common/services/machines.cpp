#include "views/common/services/machines.h"

#include "core/wire/fields.h"

namespace kurve::views {

QMap<QString, QStringList> Machines::devices() const {
    QMap<QString, QStringList> all;
    for (const remote::Machine& machine : list()) {
        const QString name = QString::fromStdString(machine.name);
        QStringList& devices = all[name];
        const Answer check = checkOf(name);
        if (!check.answer || !*check.answer) continue;
        for (const nlohmann::json& device : wire::Fields(**check.answer).list("devices"))
            devices << QString::fromStdString(wire::Fields(device).text("id"));
    }
    return all;
}

}  // namespace kurve::views
