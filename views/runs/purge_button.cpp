#include "views/runs/purge_button.h"

#include <QTimer>

#include "views/common/format.h"

namespace kurve::views {

namespace {
constexpr int kPatience = 6000;  ///< milliseconds
}

PurgeButton::PurgeButton(QWidget* parent) : QPushButton(parent) {
    setProperty("role", "quiet");
    setObjectName(QStringLiteral("runs.purge"));
    hide();
    connect(this, &QPushButton::clicked, this, &PurgeButton::press);
}

void PurgeButton::setTrash(const QStringList& ids, qint64 bytes) {
    ids_ = ids;
    bytes_ = bytes;
    setVisible(!ids_.isEmpty());
    showText();
}

void PurgeButton::press() {
    if (ids_.isEmpty()) return;
    const bool sure = std::exchange(asked_, !asked_);
    showText();
    if (sure) return Q_EMIT confirmed(ids_);
    QTimer::singleShot(kPatience, this, [this] {
        asked_ = false;
        showText();
    });
}

void PurgeButton::showText() {
    setText(asked_ ? tr("Really delete %1 run(s)?").arg(ids_.size())
                   : tr("Delete for good, %1").arg(bytesText(static_cast<double>(bytes_))));
    setToolTip(
        tr("Deletes the folders of the %1 run(s) in the trash; nothing brings them back").arg(ids_.size()));
}

}  // namespace kurve::views
