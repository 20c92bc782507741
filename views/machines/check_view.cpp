#include "views/machines/check_view.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QPushButton>

#include "core/wire/fields.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

QString factsOf(const wire::Fields& check) {
    QStringList lines{CheckView::tr("Reached %1: kurve %2 (%3)")
                          .arg(qt(check.text("host")), qt(check.text("version")), qt(check.text("commit")))};
    for (const nlohmann::json& one : check.list("devices")) {
        const wire::Fields device(one);
        const QString title = qt(device.text("title")), id = qt(device.text("id"));
        lines << CheckView::tr("Device %1").arg(title.isEmpty() ? id : id + QStringLiteral(": ") + title);
    }
    lines << CheckView::tr("Folder %1").arg(qt(check.text("folder")));
    if (check.has("free_bytes"))
        lines << CheckView::tr("%1 of disk free").arg(bytesText(check.number("free_bytes")));
    return lines.join(QLatin1Char('\n'));
}

/// What keeps a reachable machine from training, or slows it down.
QString problemIn(const wire::Fields& check) {
    QStringList lines;
    if (!check.flag("writable", true))
        lines << CheckView::tr("The folder %1 cannot be written there.").arg(qt(check.text("folder")));
    if (!check.flag("same_version", true))
        lines << CheckView::tr("It has another version of Kurve than this computer.");
    if (const auto why = check.text("unused_gpu"); !why.empty())
        lines << CheckView::tr("No GPU is used there: %1.").arg(qt(why));
    return lines.join(QLatin1Char(' '));
}

}  // namespace

CheckView::CheckView(QWidget* parent)
    : QWidget(parent),
      facts_(describe(new QLabel, "machines.facts", tr("Result of the check"))),
      problem_(describe(new QLabel, "machines.check_problem", tr("Problem"), {.role = "error"})),
      remedy_(describe(new QLabel, "machines.remedy", tr("What to do"))),
      check_(describe(new QPushButton, "machines.check", tr("Check the machine"),
                      tr("Connect by ssh and ask for version, devices and free disk"))),
      copy_(describe(new QPushButton, "machines.copy", tr("Copy what to do"), tr("Copy what to do"),
                     {.text = tr("Copy")})) {
    for (QLabel* label : {facts_, problem_, remedy_})
        describe(label, {.wraps = true, .selectable = true, .format = Qt::PlainText});
    vboxIn(this, {facts_, problem_, remedy_, hbox({check_, copy_, Stretch{}}), Stretch{}});
    connect(check_, &QPushButton::clicked, this, &CheckView::checkRequested);
    connect(copy_, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(remedy_->text()); });
}

void CheckView::show(const Machines::Answer& answer) {
    const bool failed = answer.answer && !*answer.answer;
    const nlohmann::json document = answer.answer && !failed ? **answer.answer : nlohmann::json();
    const wire::Fields check(document);
    QString problem, remedy;
    if (failed) {
        problem = qt(answer.answer->error().message);
        remedy = qt(answer.answer->error().remedy);
    } else if (answer.answer) {
        problem = problemIn(check);
        remedy = qt(check.text("install"));
    }
    showText(*facts_, answer.answer && !failed ? factsOf(check)
                      : answer.pending         ? tr("Connecting…")
                      : failed                 ? QString()
                                               : tr("Not checked yet."));
    showText(*problem_, problem);
    showText(*remedy_, remedy);
    copy_->setVisible(!remedy.isEmpty());
    check_->setEnabled(!answer.pending);
    check_->setText(answer.pending ? tr("Checking…") : tr("Check"));
}

QString CheckView::summary(const Machines::Answer& answer) {
    if (answer.pending) return tr("checking…");
    if (!answer.answer) return tr("not checked");
    if (!*answer.answer) return QStringLiteral("✕ ") + qt(answer.answer->error().message);
    const wire::Fields check(**answer.answer);
    if (const QString problem = problemIn(check); !problem.isEmpty()) return QStringLiteral("⚠ ") + problem;
    QString text = tr("✓ kurve %1, %2")
                       .arg(qt(check.text("version")),
                            countedText(static_cast<int>(check.list("devices").size()), tr("device")));
    if (check.has("free_bytes")) text += tr(", %1 free").arg(bytesText(check.number("free_bytes")));
    return text;
}

}  // namespace kurve::views
