#include "views/corpus/import_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>

#include "core/text/import.h"
#include "core/wire/fields.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"
#include "views/corpus/import_preview.h"
#include "views/corpus/split_fields.h"

namespace kurve::views {

namespace {

constexpr int kEditPauseMs = 500;
constexpr int kSentencesIndex = 3;  // in the list of kinds
constexpr double kControlsWidth = 380;

QPushButton* formButton(const QString& text, const QString& id, const char* role) {
    return describe(new QPushButton(text), id, {.role = role});
}

QLabel* errorLabel(const QString& id) {
    return describe(new QLabel, id, {.role = "error", .wraps = true, .hidden = true});
}

QSpinBox* numberBox(const QString& id, const QString& name, int low, int high, int value) {
    auto* box = describe(new QSpinBox, id, name);
    box->setRange(low, high);
    box->setValue(value);
    return box;
}

/// Remedies in terms of the form instead of the engine's options.
QString remedyOf(const Error& error) {
    if (error.code == "data.exists") return QObject::tr("choose another name, or tick “Replace”");
    if (error.code == "data.too_few") return QObject::tr("hold out fewer pairs");
    return QString::fromStdString(error.remedy);
}

QString textOf(Error error) {
    error.remedy = remedyOf(error).toStdString();
    if (error.line == 0) error.file.clear();  // shown at the field of the file
    error.field.clear();
    return QStringLiteral("✕ ") + QString::fromStdString(error.text());
}

}  // namespace

ImportForm::ImportForm(std::filesystem::path project, QWidget* parent)
    : QWidget(parent),
      project_(std::move(project)),
      train_(new SplitFields(QStringLiteral("train"), tr("Training data"))),
      valid_(new SplitFields(QStringLiteral("valid"), tr("Validation data"))),
      test_(new SplitFields(QStringLiteral("test"), tr("Test data"))),
      name_(describe(new QLineEdit, "import.name", tr("Name of the corpus"))),
      sameLanguage_(describe(new QCheckBox(tr("Source and target share a language")), "import.sameLanguage",
                             {}, tr("Also score a copy of the source; data.same_language"))),
      replace_(describe(new QCheckBox(tr("Replace existing corpus")), "import.replace")),
      kind_(describe(new QComboBox, "import.kind", tr("Kind of data"),
                     tr("data.kind. Documents are separated by empty lines"))),
      tokenizer_(describe(new QComboBox, "import.tokenizer", tr("Tokenizer"))),
      vocabulary_(numberBox(QStringLiteral("import.vocabulary"), tr("Vocabulary"), 16, 256000, 2000)),
      maxLength_(numberBox(QStringLiteral("import.maxLength"), tr("Longest side in tokens"), 4, 4096, 64)),
      nameError_(errorLabel(QStringLiteral("import.name.error"))),
      tokenizerError_(errorLabel(QStringLiteral("import.tokenizer.error"))),
      message_(describe(new QLabel, "import.message", {.role = "caption", .wraps = true})),
      check_(formButton(tr("Check"), QStringLiteral("import.check"), "")),
      import_(formButton(tr("Import"), QStringLiteral("import.import"), "primary")),
      close_(formButton(tr("Back to corpus"), QStringLiteral("import.close"), "quiet")),
      preview_(describe(new ImportPreview, {.role = "surface", .hidden = true})),
      pause_(new QTimer(this)) {
    pause_->setSingleShot(true);
    pause_->setInterval(kEditPauseMs);
    auto* scroll = scrolled(preview_);
    describe(scroll, {.role = "surface"});
    hboxIn(this, {controlColumn(buildControls(), kControlsWidth), {scroll, 1}}, {.margins = 0});
    connectFields();
    setFocusProxy(train_->findChild<QLineEdit*>());
    setState(State::Unchecked, tr("Choose the training file, or drop files on the window."));
}

QWidget* ImportForm::buildKind() {
    kind_->addItem(tr("Pairs"), QStringLiteral("pairs"));
    kind_->addItem(tr("Text: one example per line"), QStringLiteral("text"));
    kind_->addItem(tr("Documents: running text"), QStringLiteral("documents"));
    kind_->addItem(tr("Documents: one sentence per line"), QStringLiteral("documents"));
    return kind_;
}

QWidget* ImportForm::buildTokenizer() {
    tokenizer_->addItems({QStringLiteral("bpe"), QStringLiteral("unigram"), QStringLiteral("word"),
                          QStringLiteral("whitespace"), QStringLiteral("character"), QStringLiteral("byte")});
    vocabulary_->setToolTip(tr("Tokens; data.tokenizer.vocabulary"));
    maxLength_->setToolTip(
        tr("Pairs with a longer side are excluded from training; <s> and </s> count; data.max_length"));
    auto* box = new QWidget;
    auto* rows = new QFormLayout(box);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setVerticalSpacing(px(space::kTight));
    rows->addRow(tr("Tokenizer"), tokenizer_);
    rows->addRow(tr("Vocabulary"), vocabulary_);
    rows->addRow(tr("Longest side"), maxLength_);
    rows->addRow(tokenizerError_);
    return box;
}

QWidget* ImportForm::buildControls() {
    auto* heading = describe(new QLabel(tr("Import text")), {.role = "title"});
    auto* nameLabel = new QLabel(tr("Name of the corpus"));
    nameLabel->setBuddy(name_);
    auto* controls = describe(new QWidget, {.role = "surface"});
    auto* layout =
        vboxIn(controls, {}, {.margins = {space::kMedium, space::kSmall}, .spacing = space::kSmall});
    for (QWidget* part :
         std::initializer_list<QWidget*>{heading, buildKind(), train_, valid_, test_, nameLabel, name_,
                                         nameError_, replace_, sameLanguage_, buildTokenizer()})
        layout->addWidget(part);
    layout->addLayout(hbox({{import_, 1}, check_}, {.spacing = space::kSmall}));
    layout->addWidget(message_);
    layout->addWidget(close_, 0, Qt::AlignLeft);
    layout->addStretch(1);
    return controls;
}

void ImportForm::connectFields() {
    for (SplitFields* split : {train_, valid_, test_})
        connect(split, &SplitFields::edited, this, &ImportForm::stale);
    for (QSpinBox* box : {vocabulary_, maxLength_})
        connect(box, &QSpinBox::valueChanged, this, &ImportForm::stale);
    for (QComboBox* box : {kind_, tokenizer_})
        connect(box, &QComboBox::currentIndexChanged, this, &ImportForm::stale);
    connect(name_, &QLineEdit::textChanged, this, &ImportForm::checkName);
    connect(replace_, &QCheckBox::toggled, this, &ImportForm::checkName);
    connect(pause_, &QTimer::timeout, this, &ImportForm::check);
    connect(check_, &QPushButton::clicked, this, [this] {
        if (state_ != State::Checking) return check();
        Q_EMIT cancelRequested();
        setState(State::Unchecked, tr("The check was cancelled."));
    });
    connect(import_, &QPushButton::clicked, this, [this] {
        clearErrors();
        setState(State::Importing, tr("Writing the corpus…"));
        Q_EMIT importRequested(request());
    });
    connect(close_, &QPushButton::clicked, this, [this] {
        pause_->stop();
        if (state_ == State::Checking) {
            Q_EMIT cancelRequested();
            setState(State::Unchecked, {});
        }
        Q_EMIT closeRequested();
    });
}

ImportRequest ImportForm::request() const {
    ImportRequest request;
    request.name = name_->text().trimmed();
    request.kind = kind_->currentData().toString();
    request.sentences = kind_->currentIndex() == kSentencesIndex;
    request.train = train_->split();
    request.valid = valid_->split();
    request.test = test_->split();
    request.sameLanguage = sameLanguage_->isChecked();
    request.replace = replace_->isChecked();
    request.tokenizer = tokenizer_->currentText();
    request.vocabulary = vocabulary_->value();
    request.maxLength = maxLength_->value();
    return request;
}

void ImportForm::setRequest(const ImportRequest& request) {
    if (state_ == State::Importing) return;
    kind_->setCurrentIndex(request.sentences ? kSentencesIndex : kind_->findData(request.kind));
    train_->setSplit(request.train);
    valid_->setSplit(request.valid);
    test_->setSplit(request.test);
    sameLanguage_->setChecked(request.sameLanguage);
    replace_->setChecked(request.replace);
    suggestedFor_ = request.train.source;
    tokenizer_->setCurrentText(request.tokenizer);
    vocabulary_->setValue(request.vocabulary);
    maxLength_->setValue(request.maxLength);
    name_->setText(request.name);
    checkName();
    stale();
    if (!request.train.source.isEmpty()) check();
}

/// The check is not of the form's settings any more.
void ImportForm::stale() {
    if (state_ == State::Importing) return;
    if (state_ == State::Checking) Q_EMIT cancelRequested();
    clearErrors();
    const bool any = !train_->split().source.isEmpty(), pairs = kind_->currentIndex() == 0;
    for (SplitFields* split : {train_, valid_, test_}) split->setPairs(pairs);
    sameLanguage_->setVisible(pairs);
    setState(State::Unchecked, any ? QString() : tr("Choose the training file."));
    any ? pause_->start() : pause_->stop();
}

/// Once for each training file: a name, and default hold-outs.
void ImportForm::suggest() {
    const ImportRequest now = request();
    if (now.train.source == suggestedFor_ || !QFileInfo(now.train.source).isFile()) return;
    suggestedFor_ = now.train.source;
    const ImportRequest guess = requestFor({now.train.source, now.train.target});
    if (now.name.isEmpty()) name_->setText(guess.name);
    for (SplitFields* fields : {valid_, test_}) {
        ImportRequest::Split split = fields->split();
        if (!split.source.isEmpty() || split.holdOut > 0) continue;
        split.holdOut = guess.valid.holdOut;
        fields->setSplit(split);
    }
}

void ImportForm::check() {
    pause_->stop();
    if (state_ == State::Importing || train_->split().source.isEmpty()) return;
    if (state_ == State::Checking) Q_EMIT cancelRequested();
    suggest();
    pause_->stop();
    clearErrors();
    setState(State::Checking, tr("Checking…"));
    ImportRequest checked = request();
    if (checked.name.isEmpty()) checked.name = QStringLiteral("unnamed");  // the name is checked here
    Q_EMIT checkRequested(checked);
}

void ImportForm::setState(State state, const QString& message) {
    state_ = state;
    const bool isChecking = state == State::Checking;
    check_->setText(isChecking ? tr("Cancel") : tr("Check"));
    check_->setEnabled(state != State::Importing && !train_->split().source.isEmpty());
    import_->setEnabled(state == State::Checked && nameFine_);
    import_->setToolTip(state == State::Checked ? tr("Write the corpus to the project's data folder")
                                                : tr("Not checked yet"));
    showText(*message_, message);
    preview_->setEnabled(state == State::Checked || state == State::Importing);
}

void ImportForm::checkName() {
    const bool isBlank = name_->text().trimmed().isEmpty();
    const auto fine =
        text::checkCorpusName(project_, name_->text().trimmed().toStdString(), replace_->isChecked());
    nameFine_ = fine.has_value();
    const bool silent = nameFine_ || (isBlank && train_->split().source.isEmpty());
    showText(*nameError_, silent ? QString() : textOf(fine.error()));
    import_->setEnabled(state_ == State::Checked && nameFine_);
}

void ImportForm::clearErrors() {
    for (SplitFields* split : {train_, valid_, test_}) split->setError({});
    showText(*tokenizerError_, {});
}

void ImportForm::showErrorAtField(const Error& error) {
    const QString text = textOf(error), file = QString::fromStdString(error.file);
    for (SplitFields* fields : {train_, valid_, test_}) {
        const ImportRequest::Split split = fields->split();
        if (error.code != "data.too_few" && !file.isEmpty() && (file == split.source || file == split.target))
            return fields->setError(text);
    }
    if (error.code == "data.too_few") return valid_->setError(text);
    if (error.code == "data.name" || error.code == "data.exists") return showText(*nameError_, text);
    if (error.code.rfind("tokenizer.", 0) == 0) return showText(*tokenizerError_, text);
    message_->setText(text);
    message_->show();
}

void ImportForm::showFound(const nlohmann::json& found) {
    if (state_ != State::Checking) return;
    preview_->show(found);
    preview_->setVisible(true);
    const wire::Fields fields(found);
    const bool hasValid = fields.object("splits").has("valid");
    setState(State::Checked, hasValid ? tr("Checked; not imported yet.")
                                      : tr("⚠ No validation pairs; training needs some. Not imported yet."));
    for (const nlohmann::json& problem : fields.list("problems")) {
        const Error error = wire::errorIn(problem, requestError({}, {}));
        if (error.code.rfind("data.", 0) != 0)
            showErrorAtField(error);  // errors of the name are shown while typing
    }
}

void ImportForm::showProblem(const Error& error) {
    preview_->setVisible(false);
    setState(State::Unchecked, {});
    showErrorAtField(error);
}

void ImportForm::showImported() {
    setState(State::Unchecked, {});
    preview_->clear();
    preview_->setVisible(false);
    setRequest({});
}

}  // namespace kurve::views
