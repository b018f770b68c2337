//! The types of an expression, checked before it runs as cel-go does it: what it refuses for all
//! clusters must not pass for those where a branch happens not to be taken.

use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, LiteralValue, SelectExpr};
use cel::parser::Expression;

use super::functions;
use super::signatures::{self, Type};

/// How deep an expression may nest, as in cel-go; there macros count less.
pub(super) const MAX_DEPTH: usize = 250;

/// Checks `expression`, in which only `global` is declared, and lets it call our functions where
/// those of the crate differ from cel-go's. Returns how deep it nests.
pub(super) fn check(expression: &mut Expression) -> Result<usize, String> {
    let mut checker = Checker {
        scope: vec![("global".to_owned(), Type::Dyn)],
        bindings: Vec::new(),
        trail: Vec::new(),
        depth: 0,
        deepest: 0,
    };
    checker.check(expression)?;
    Ok(checker.deepest)
}

struct Checker {
    /// The variables, innermost last.
    scope: Vec<(String, Type)>,
    /// What is known about each `Type::Variable`.
    bindings: Vec<Option<Type>>,
    /// What was known before, to go back to it.
    trail: Vec<(usize, Option<Type>)>,
    /// How many expressions the one that is being checked lies in.
    depth: usize,
    deepest: usize,
}

impl Checker {
    fn check(&mut self, expression: &mut Expression) -> Result<Type, String> {
        if self.depth == MAX_DEPTH {
            return Err(too_deep());
        }
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        let checked = self.check_inside(expression);
        self.depth -= 1;
        checked
    }

    fn check_inside(&mut self, expression: &mut Expression) -> Result<Type, String> {
        let checked = match &mut expression.expr {
            Expr::Literal(literal) => return Ok(literal_type(literal)),
            Expr::Ident(name) => return self.identifier(name),
            Expr::Select(select) => self.select(select),
            Expr::Call(call) => self.call(call),
            Expr::List(list) => {
                let mut joined = None;
                for element in &mut list.elements {
                    let element = self.check(element)?;
                    joined = Some(match joined {
                        None => element,
                        Some(known) if self.assignable(&known, &element) => {
                            most_general(known, element)
                        }
                        Some(_) => Type::Dyn,
                    });
                }
                let element = joined.unwrap_or_else(|| self.fresh());
                Ok(Type::List(Box::new(element)))
            }
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::Map(_) | Expr::Struct(_) | Expr::Unspecified => Err(
                "a placeholder cannot hold a map or message, as it ends at the first `}`".into(),
            ),
        }?;
        functions::substitute(&mut expression.expr);
        Ok(checked)
    }

    fn identifier(&self, name: &str) -> Result<Type, String> {
        let (name, scope) = match name.strip_prefix('.') {
            Some(absolute) => (absolute, &self.scope[..1]),
            None => (name, &self.scope[..]),
        };
        if let Some((_, found)) = scope.iter().rev().find(|(known, _)| known == name) {
            return Ok(found.clone());
        }
        if signatures::TYPE_NAMES.contains(&name) {
            return Ok(Type::OfTypes);
        }
        Err(format!(
            "`{name}` is not declared: the only variable is `global`"
        ))
    }

    fn select(&mut self, select: &mut SelectExpr) -> Result<Type, String> {
        if !select.test
            && let Some(prefix) = qualified_name(&select.operand.expr)
            && signatures::TYPE_NAMES.contains(&format!("{prefix}.{}", select.field).as_str())
        {
            return Ok(Type::OfTypes);
        }
        let operand = self.check(&mut select.operand)?;
        let field = match self.resolve(&operand) {
            Type::Map(entry) => entry.1.clone(),
            Type::Dyn => Type::Dyn,
            Type::Variable(_) => {
                self.assignable(&Type::Dyn, &operand);
                Type::Dyn
            }
            other => {
                return Err(format!(
                    "a value of type {other} has no field `{}`",
                    select.field
                ));
            }
        };
        Ok(if select.test { Type::Bool } else { field })
    }

    fn call(&mut self, call: &mut CallExpr) -> Result<Type, String> {
        if call.target.is_none() && call.func_name.starts_with('.') {
            call.func_name.remove(0);
        }
        functions::check_format(call)?;
        let mut arguments = Vec::new();
        for argument in &mut call.args {
            arguments.push(self.check(argument)?);
        }
        if let Some(target) = &mut call.target {
            let qualified = qualified_name(&target.expr);
            let namespaced = qualified.map(|prefix| format!("{prefix}.{}", call.func_name));
            if let Some(name) = namespaced.filter(|name| signatures::find(name).is_some()) {
                return self.overload(&name, false, &arguments);
            }
            arguments.insert(0, self.check(target)?);
        }
        let result = self.overload(&call.func_name, call.target.is_some(), &arguments)?;
        if call.func_name == "_+_" && self.resolve(&arguments[1]) == Type::Dyn {
            functions::refuse_map(&mut call.args[1]);
        }
        Ok(result)
    }

    /// The result of the overloads of `name` that take `arguments`.
    fn overload(&mut self, name: &str, member: bool, arguments: &[Type]) -> Result<Type, String> {
        let Some(overloads) = signatures::find(name) else {
            return Err(format!("there is no function `{name}`"));
        };
        let mut result = None;
        for overload in overloads
            .iter()
            .filter(|overload| overload.member == member)
        {
            if overload.parameters.len() != arguments.len() {
                continue;
            }
            // Each call has type parameters of its own.
            let first = self.bindings.len();
            self.bindings.extend([None, None]);
            let before = self.trail.len();
            let mut pairs = arguments.iter().zip(&overload.parameters);
            if pairs.all(|(argument, parameter)| {
                self.assignable_part(argument, &parameter.shifted(first))
            }) {
                let this = self.resolve_all(&overload.result.shifted(first));
                result = Some(match result {
                    Some(known) if known != this => Type::Dyn,
                    _ => this,
                });
            } else {
                self.undo(before);
                self.bindings.truncate(first);
            }
        }
        result.ok_or_else(|| {
            let types: Vec<String> = arguments
                .iter()
                .map(|argument| self.resolve_all(argument).to_string())
                .collect();
            let name = signatures::readable(name);
            format!("{name} does not take ({})", types.join(", "))
        })
    }

    fn comprehension(&mut self, comprehension: &mut ComprehensionExpr) -> Result<Type, String> {
        let range = self.check(&mut comprehension.iter_range)?;
        let accumulator = self.check(&mut comprehension.accu_init)?;
        let item = match self.resolve(&range) {
            Type::List(element) => *element,
            Type::Map(entry) => entry.0,
            Type::Dyn => Type::Dyn,
            Type::Variable(_) => {
                self.assignable(&Type::Dyn, &range);
                Type::Dyn
            }
            other => {
                return Err(format!(
                    "a value of type {other} has no elements: use a list or map"
                ));
            }
        };
        let outside = self.scope.len();
        self.scope
            .push((comprehension.accu_var.clone(), accumulator.clone()));
        self.scope.push((comprehension.iter_var.clone(), item));
        let condition = self.check(&mut comprehension.loop_cond)?;
        let step = self.check(&mut comprehension.loop_step)?;
        for (wanted, found) in [(&Type::Bool, &condition), (&accumulator, &step)] {
            if !self.assignable(wanted, found) {
                let (wanted, found) = (self.resolve_all(wanted), self.resolve_all(found));
                return Err(format!("a macro needs {wanted}, not {found}"));
            }
        }
        self.scope.truncate(outside + 1);
        let result = self.check(&mut comprehension.result)?;
        self.scope.truncate(outside);
        Ok(self.resolve_all(&result))
    }

    fn fresh(&mut self) -> Type {
        self.bindings.push(None);
        Type::Variable(self.bindings.len() - 1)
    }

    /// The type that `found` is known to be, on the outside.
    fn resolve(&self, found: &Type) -> Type {
        match found {
            Type::Variable(index) => match &self.bindings[*index] {
                Some(known) => self.resolve(known),
                None => found.clone(),
            },
            other => other.clone(),
        }
    }

    /// The same with everything in it.
    fn resolve_all(&self, found: &Type) -> Type {
        match self.resolve(found) {
            Type::List(element) => Type::List(Box::new(self.resolve_all(&element))),
            Type::Map(entry) => Type::Map(Box::new((
                self.resolve_all(&entry.0),
                self.resolve_all(&entry.1),
            ))),
            other => other,
        }
    }

    /// Whether a `from` can stand where a `to` is expected. What that says about variables is
    /// kept if so.
    fn assignable(&mut self, from: &Type, to: &Type) -> bool {
        let before = self.trail.len();
        let result = self.assignable_part(from, to);
        if !result {
            self.undo(before);
        }
        result
    }

    fn bind(&mut self, index: usize, to: Type) {
        let before = self.bindings[index].replace(to);
        self.trail.push((index, before));
    }

    /// Forgets all bindings since the trail had this length.
    fn undo(&mut self, length: usize) {
        for (index, before) in self.trail.drain(length..).rev() {
            self.bindings[index] = before;
        }
    }

    fn assignable_part(&mut self, from: &Type, to: &Type) -> bool {
        if let Type::Variable(index) = to {
            match self.binds(*index, from) {
                Some(bound) => return bound,
                None if !matches!(from, Type::Variable(_)) => return false,
                None => {}
            }
        }
        if let Type::Variable(index) = from {
            return self.binds(*index, to) == Some(true);
        }
        match (from, to) {
            // Durations and timestamps can be null.
            (Type::Dyn, _)
            | (_, Type::Dyn)
            | (Type::Null, Type::Duration | Type::Timestamp)
            | (Type::Duration | Type::Timestamp, Type::Null) => true,
            (Type::List(from), Type::List(to)) => self.assignable_part(from, to),
            (Type::Map(from), Type::Map(to)) => {
                self.assignable_part(&from.0, &to.0) && self.assignable_part(&from.1, &to.1)
            }
            (from, to) => from == to,
        }
    }

    /// Whether variable `index` can be `other`, and so is from now on. `None`: it has no binding
    /// and cannot get this one, which contains the variable itself.
    fn binds(&mut self, index: usize, other: &Type) -> Option<bool> {
        if *other == Type::Variable(index) {
            return Some(true);
        }
        if let Some(known) = self.bindings[index].clone() {
            if *other == known {
                return Some(true);
            }
            if !self.assignable_part(other, &known) {
                return Some(false);
            }
            let general = most_general(other.clone(), known);
            if !self.occurs(index, &general) {
                self.bind(index, general);
            }
            return Some(true);
        }
        if self.occurs(index, other) {
            return None;
        }
        self.bind(index, other.clone());
        Some(true)
    }

    fn occurs(&self, index: usize, within: &Type) -> bool {
        match within {
            Type::Variable(other) => {
                *other == index
                    || self.bindings[*other]
                        .as_ref()
                        .is_some_and(|known| self.occurs(index, known))
            }
            Type::List(element) => self.occurs(index, element),
            Type::Map(entry) => self.occurs(index, &entry.0) || self.occurs(index, &entry.1),
            _ => false,
        }
    }
}

/// What is wrong with an expression that nests more than [`MAX_DEPTH`].
pub(super) fn too_deep() -> String {
    format!("it nests more than {MAX_DEPTH} deep: split the expression")
}

/// The more general of two types that go together.
fn most_general(one: Type, other: Type) -> Type {
    if is_more_general(&one, &other) {
        one
    } else {
        other
    }
}

fn is_more_general(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Dyn | Type::Variable(_), _) => true,
        (_, Type::Dyn | Type::Variable(_)) => false,
        (Type::List(one), Type::List(other)) => is_more_general(one, other),
        (Type::Map(one), Type::Map(other)) => {
            is_more_general(&one.0, &other.0) && is_more_general(&one.1, &other.1)
        }
        (one, other) => one == other,
    }
}

fn literal_type(literal: &LiteralValue) -> Type {
    match literal {
        LiteralValue::Boolean(_) => Type::Bool,
        LiteralValue::Bytes(_) => Type::Bytes,
        LiteralValue::Double(_) => Type::Double,
        LiteralValue::Int(_) => Type::Int,
        LiteralValue::Null => Type::Null,
        LiteralValue::String(_) => Type::String,
        LiteralValue::UInt(_) => Type::Uint,
    }
}

/// `a.b.c`, if that is all the expression is.
fn qualified_name(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Ident(name) => Some(name.trim_start_matches('.').to_owned()),
        Expr::Select(select) if !select.test => {
            let prefix = qualified_name(&select.operand.expr)?;
            Some(format!("{prefix}.{}", select.field))
        }
        _ => None,
    }
}
